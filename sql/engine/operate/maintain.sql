-- Prepares the coming days' partitions, drops expired ones and prunes what grows. Dropping waits at most a
-- second for its lock and says so instead of queueing: a waiting ACCESS EXCLUSIVE lock would hold up every settle
-- behind it.
create or replace function mill.maintain() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s'
as $$
declare
  v_now timestamptz := mill.now();
  v_today date := (v_now at time zone 'UTC')::date;
  v_day date;
  v_name text;
  v_made int := 0;
  v_dropped int := 0;
  v_skipped int := 0;
  v_hook text;
begin
  for v_day in select d::date from generate_series(v_today, v_today + 3, interval '1 day') d loop
    v_name := 'job_done_' || to_char(v_day, 'YYYYMMDD');
    continue when to_regclass('mill.' || v_name) is not null;
    begin
      execute format('create table mill.%I partition of mill.job_done for values from (%L) to (%L)',
        v_name, v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
      v_made := v_made + 1;
    -- 23514: rows of that day already lie in the default partition; they stay there and are pruned below.
    exception when lock_not_available or check_violation then
      v_skipped := v_skipped + 1;
    end;
  end loop;

  for v_name in select d.partition from mill.expired_days(v_today) d loop
    begin
      execute format('delete from mill.job_log l using mill.%I j where j.id = l.job', v_name);
      execute format('delete from mill.job_step s using mill.%I j where j.id = s.job', v_name);
      execute format('delete from mill.job_event e using mill.%I j where j.id = e.job', v_name);
      execute format('drop table mill.%I', v_name);
      v_dropped := v_dropped + 1;
    exception when lock_not_available then
      v_skipped := v_skipped + 1;
    end;
  end loop;

  for v_hook in select h.routine from mill.hook h where h.event = 'maintain' order by h.place, h.routine loop
    execute format('select %s($1)', v_hook) using v_now;
  end loop;
  perform mill.prune(v_now);
  if v_skipped > 0 then
    insert into mill.event (at, code, detail)
    values (v_now, 'maintain_skipped', jsonb_build_object('partitions', v_skipped));
  end if;
  return jsonb_build_object('made', v_made, 'dropped', v_dropped, 'skipped', v_skipped);
end
$$;

comment on function mill.maintain() is 'Makes the coming days'' partitions, drops expired ones, prunes what grows.';
revoke execute on function mill.maintain() from public;
