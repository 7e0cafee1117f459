create or replace function mill.count_exports(p_owner uuid, p_count int) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit int := mill.setting('exports.daily_limit', '100')::int;
  v_now timestamptz := mill.now();
  v_day date := (v_now at time zone 'UTC')::date;
  v_used int;
begin
  insert into mill.export_day as d (owner, day, used) values (p_owner, v_day, p_count)
  on conflict (owner, day) do update set used = d.used + excluded.used
  returning d.used into v_used;
  if v_used > v_limit then
    raise exception 'only % exports per day are allowed', v_limit using errcode = 'GM052',
      detail = jsonb_build_object('used', v_used - p_count, 'limit', v_limit,
        'retry_after', ceil(extract(epoch from (v_day + 1)::timestamp at time zone 'UTC' - v_now))::int);
  end if;
end
$$;

comment on function mill.count_exports(uuid, int) is 'Counts exports against the user''s day; GM052 past its limit, which takes the count back.';
revoke execute on function mill.count_exports(uuid, int) from public;
