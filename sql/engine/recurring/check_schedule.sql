-- Raises GM013 for a schedule whose due times cannot be computed.
create or replace function mill.check_times(p_schedule mill.job_schedule, p_place text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_problem text := (mill.parse_cron(p_schedule.cron)).problem;
begin
  if num_nonnulls(p_schedule.cron, p_schedule.every_seconds) <> 1 or p_schedule.every_seconds not between 1 and 31536000 then
    perform mill.refuse_definition_of(p_place, 'must have either cron or every_seconds, which is 1 to 31536000');
  end if;
  if p_schedule.cron is not null and v_problem is not null then
    perform mill.refuse_definition_of(p_place || '/cron', v_problem);
  end if;
  if mill.is_time_zone(p_schedule.time_zone) is not true then
    perform mill.refuse_definition_of(p_place || '/time_zone', format('is no time zone that Postgres knows: %s. Europe/Paris is one', left(p_schedule.time_zone, 60)));
  end if;
end
$$;

comment on function mill.check_times(mill.job_schedule, text) is 'Raises GM013 for a schedule whose due times cannot be computed.';
revoke execute on function mill.check_times(mill.job_schedule, text) from public;

-- Raises what a schedule cannot be run with: GM013 with the place in the definition, or what mill.enqueue would say about its jobs.
create or replace function mill.check_schedule(p_schedule mill.job_schedule, p_place text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.check_times(p_schedule, p_place);
  if not exists (select from mill.kind k where k.kind = p_schedule.kind) then
    perform mill.refuse_definition_of(p_place || '/kind', format('is no row of mill.kind: %s', coalesce(left(p_schedule.kind, 64), 'null')));
  end if;
  if mill.next_due_times(p_schedule, mill.now()) = '{}' then
    perform mill.refuse_definition_of(p_place || '/cron', 'is not due within nine years');
  end if;
  if mill.check_payload(mill.scheduled_job(p_schedule, mill.now()) -> 'payload', mill.setting('queue.payload_max_bytes', '65536')::int, 0) then
    perform mill.check_fits(jsonb_build_array(mill.scheduled_job(p_schedule, mill.now())));
  end if;
end
$$;

comment on function mill.check_schedule(mill.job_schedule, text) is 'Raises GM013, or what enqueueing would raise, for a schedule that could not be run.';
revoke execute on function mill.check_schedule(mill.job_schedule, text) from public;
