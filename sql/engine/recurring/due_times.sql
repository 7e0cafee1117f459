-- The due times of a schedule after one instant, up to another. Those before p_until by more than 32 days are not counted: what was missed for so long is
-- no longer worth a job each, and a year of minutes would be half a million rows.
create or replace function mill.due_times(p_schedule mill.job_schedule, p_after timestamptz, p_until timestamptz) returns setof timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_after timestamptz := greatest(p_after, p_until - interval '32 days', p_schedule.starts_at - interval '1 microsecond');
  v_every interval := make_interval(secs => p_schedule.every_seconds);
  v_first bigint;
begin
  if v_after >= p_until then
    return;
  elsif p_schedule.cron is not null then
    return query select * from mill.cron_times(p_schedule.cron, p_schedule.time_zone, v_after, p_until);
  else
    v_first := floor(extract(epoch from v_after - p_schedule.starts_at) / p_schedule.every_seconds) + 1;
    return query select g from generate_series(p_schedule.starts_at + v_first * v_every, p_until, v_every) g;
  end if;
end
$$;

comment on function mill.due_times(mill.job_schedule, timestamptz, timestamptz) is 'The due times of a schedule after one instant, up to another, of the last 32 days.';
revoke execute on function mill.due_times(mill.job_schedule, timestamptz, timestamptz) from public;

-- The next due times. Longer and longer stretches are looked through, since the next minute of most schedules is near. 29 February may be eight years
-- away; what is not due within nine years never is.
create or replace function mill.next_due_times(p_schedule mill.job_schedule, p_after timestamptz, p_count int default 1) returns timestamptz[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_after timestamptz := greatest(p_after, p_schedule.starts_at - interval '1 microsecond');
  v_stretch interval;
  v_due timestamptz[];
begin
  if p_schedule.cron is null then
    return array(
      select p_schedule.starts_at + (floor(extract(epoch from v_after - p_schedule.starts_at) / p_schedule.every_seconds) + n)
        * make_interval(secs => p_schedule.every_seconds)
      from generate_series(1, p_count) n);
  end if;
  foreach v_stretch in array array['3 hours', '2 days', '35 days', '400 days', '9 years']::interval[] loop
    v_due := array(select t from mill.cron_times(p_schedule.cron, p_schedule.time_zone, v_after, v_after + v_stretch) t limit p_count);
    exit when cardinality(v_due) = p_count;
  end loop;
  return v_due;
end
$$;

comment on function mill.next_due_times(mill.job_schedule, timestamptz, int) is 'The next due times of a schedule after an instant; none when there is none within nine years.';
revoke execute on function mill.next_due_times(mill.job_schedule, timestamptz, int) from public;
