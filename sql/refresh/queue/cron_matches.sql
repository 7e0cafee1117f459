create or replace function mill.cron_field_matches(p_field text, p_value int, p_min int, p_max int) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_part text;
  v_is text[];
  v_from int;
  v_to int;
  v_step int;
  v_matches boolean := false;
begin
  foreach v_part in array string_to_array(p_field, ',') loop
    v_is := regexp_match(v_part, '^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?$');
    v_step := coalesce(v_is[4]::int, 1);
    v_from := coalesce(v_is[2]::int, p_min);
    v_to := coalesce(v_is[3]::int, case when v_is[2] is null or v_is[4] is not null then p_max else v_from end);
    if v_is is null or v_step = 0 or v_from < p_min or v_to > p_max or v_from > v_to then
      raise exception '"%" is no field of a schedule', v_part using errcode = 'GM035';
    end if;
    v_matches := v_matches or (p_value between v_from and v_to and (p_value - v_from) % v_step = 0);
  end loop;
  return v_matches;
end
$$;

comment on function mill.cron_field_matches(text, int, int, int) is 'Whether one field of a schedule allows a value; raises GM035 when it is malformed.';
revoke execute on function mill.cron_field_matches(text, int, int, int) from public;

-- Minute, hour, day, month, weekday, as cron has them, in UTC: where day and weekday are both given, one of them is
-- enough. Names of months and days are not taken.
create or replace function mill.cron_matches(p_schedule text, p_at timestamptz) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_field text[] := regexp_split_to_array(btrim(p_schedule), '\s+');
  v_at timestamp := p_at at time zone 'UTC';
  v_weekday int := extract(dow from v_at);
  v_day_matches boolean;
  v_weekday_matches boolean;
begin
  if cardinality(v_field) <> 5 then
    raise exception 'a schedule has five fields' using errcode = 'GM035';
  end if;
  v_day_matches := mill.cron_field_matches(v_field[3], extract(day from v_at)::int, 1, 31);
  v_weekday_matches := mill.cron_field_matches(v_field[5], v_weekday, 0, 7)
    or v_weekday = 0 and mill.cron_field_matches(v_field[5], 7, 0, 7);
  return mill.cron_field_matches(v_field[1], extract(minute from v_at)::int, 0, 59)
    and mill.cron_field_matches(v_field[2], extract(hour from v_at)::int, 0, 23)
    and mill.cron_field_matches(v_field[4], extract(month from v_at)::int, 1, 12)
    and case when v_field[3] = '*' or v_field[5] = '*'
      then v_day_matches and v_weekday_matches
      else v_day_matches or v_weekday_matches end;
end
$$;

comment on function mill.cron_matches(text, timestamptz) is 'Whether a schedule of five fields falls on a minute; raises GM035 when it is malformed.';
revoke execute on function mill.cron_matches(text, timestamptz) from public;
