-- Lines of a job's log travel in outcomes and heartbeats, so they are believed on the same terms: the caller has locked the job's row, and passes only
-- the jobs that the worker holds. Two calls for one job thus come one after another. A line that is malformed in part is kept in part: a log
-- must not hold back an outcome.

-- Null for what is no time. The clock of a worker is all that a line's time is.
create or replace function mill.time_or_null(p_text text) returns timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case when p_text ~ '^[0-9]{4}-' then p_text::timestamptz end;
exception when others then
  return null;
end
$$;

comment on function mill.time_or_null(text) is 'A text as a time, or null.';
revoke execute on function mill.time_or_null(text) from public;

create or replace function mill.log_lines(p_logs jsonb, p_now timestamptz)
returns table (n bigint, at timestamptz, level text, message text, data jsonb, bytes bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select l.n, coalesce(mill.time_or_null(l.line ->> 'at'), p_now),
    case when l.line ->> 'level' in ('debug', 'info', 'warn', 'error') then l.line ->> 'level' else 'info' end,
    m.message, d.data, sum(octet_length(m.message) + coalesce(octet_length(d.data::text), 0)) over (order by l.n)
  from jsonb_array_elements(p_logs) with ordinality as l(line, n)
  cross join lateral (select coalesce(mill.cut_text(case jsonb_typeof(l.line) when 'object' then l.line ->> 'message' else l.line #>> '{}' end, 4096), '') as message) m
  cross join lateral (select case when jsonb_typeof(l.line -> 'data') = 'object' then l.line -> 'data' end as data) d
$$;

comment on function mill.log_lines(jsonb, timestamptz) is 'The lines of a log as rows; bytes is the size of a line and of those before it.';
revoke execute on function mill.log_lines(jsonb, timestamptz) from public;

-- 1,000 lines and 64 KiB per job. From the first line that does not fit, lines are counted and left out; the last row of the job says how many.
create or replace function mill.append_log(p_job uuid, p_attempt int, p_logs jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_there record;
  v_kept int := 0;
begin
  select coalesce(max(l.n) filter (where l.left_out is null), 0) as lines, coalesce(sum(l.bytes), 0) as bytes, coalesce(max(l.left_out), 0) as left_out
  into v_there from mill.job_log l where l.job = p_job;
  if v_there.left_out = 0 then
    insert into mill.job_log (job, n, at, attempt, level, message, data, bytes)
    select p_job, v_there.lines + l.n, l.at, p_attempt, l.level, l.message, l.data, l.bytes - lag(l.bytes, 1, 0) over (order by l.n)
    from mill.log_lines(p_logs, p_now) l
    where v_there.lines + l.n <= 1000 and v_there.bytes + l.bytes <= 65536;
    get diagnostics v_kept = row_count;
  end if;
  if v_kept < jsonb_array_length(p_logs) then
    v_there.left_out := v_there.left_out + jsonb_array_length(p_logs) - v_kept;
    insert into mill.job_log as l (job, n, at, attempt, level, message, data, bytes, left_out)
    values (p_job, v_there.lines + v_kept + 1, p_now, p_attempt, 'warn', format('%s lines were left out', v_there.left_out),
      jsonb_build_object('left_out', v_there.left_out), 0, v_there.left_out)
    on conflict (job, n) do update set at = excluded.at, attempt = excluded.attempt, message = excluded.message, data = excluded.data, left_out = excluded.left_out;
  end if;
end
$$;

comment on function mill.append_log(uuid, int, jsonb, timestamptz) is 'Appends lines to the log of a job, within its bounds. The caller has locked the job.';
revoke execute on function mill.append_log(uuid, int, jsonb, timestamptz) from public;

create or replace function mill.keep_logs(p_items jsonb, p_held uuid[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.append_log(i.id, i.attempt, i.logs, p_now)
  from (
    select distinct on (i.id) i.id, i.attempt, i.logs from jsonb_to_recordset(p_items) as i(id uuid, attempt int, logs jsonb)
    where jsonb_typeof(i.logs) = 'array' and i.logs <> '[]' and i.id = any (p_held)
    order by i.id) i;
end
$$;

comment on function mill.keep_logs(jsonb, uuid[], timestamptz) is 'Keeps the logs in outcomes or leases [{id, attempt, logs}] of the jobs that are held.';
revoke execute on function mill.keep_logs(jsonb, uuid[], timestamptz) from public;

create or replace function mill.forget_logs(p_jobs uuid[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
begin
  delete from mill.job_log l where l.job = any (p_jobs);
end
$$;

comment on function mill.forget_logs(uuid[]) is 'Removes the logs of jobs that go.';
revoke execute on function mill.forget_logs(uuid[]) from public;
