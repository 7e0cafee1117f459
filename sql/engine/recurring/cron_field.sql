-- One field of a cron expression as the numbers that it names, in order; null when it cannot be read. Names of months and weekdays stand for their
-- numbers: p_names, from p_least on.
create or replace function mill.cron_field(p_field text, p_least int, p_most int, p_names text[] default '{}') returns int[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_item text;
  v_parts text[];
  v_from int;
  v_to int;
  v_step int;
  v_numbers int[] := array[]::int[];
begin
  foreach v_item in array string_to_array(lower(p_field), ',')::text[] loop
    v_parts := regexp_match(v_item, '^(?:(\*)|([a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?)(?:/(\d{1,3}))?$');
    if v_parts is null or (v_parts[4] is not null and v_parts[1] is null and v_parts[3] is null) then
      return null;
    end if;
    v_from := case when v_parts[1] is not null then p_least when v_parts[2] ~ '^\d' then v_parts[2]::int
      else array_position(p_names, v_parts[2]) - 1 + p_least end;
    v_to := case when v_parts[1] is not null then p_most when v_parts[3] is null then v_from when v_parts[3] ~ '^\d' then v_parts[3]::int
      else array_position(p_names, v_parts[3]) - 1 + p_least end;
    v_step := coalesce(v_parts[4]::int, 1);
    if v_step < 1 or v_from is null or v_to is null or v_from < p_least or v_to > p_most or v_from > v_to then
      return null;
    end if;
    v_numbers := v_numbers || array(select generate_series(v_from, v_to, v_step));
  end loop;
  return nullif(array(select distinct n from unnest(v_numbers) n order by n), '{}');
end
$$;

comment on function mill.cron_field(text, int, int, text[]) is 'The numbers that one field of a cron expression names; null when it cannot be read.';
revoke execute on function mill.cron_field(text, int, int, text[]) from public;
