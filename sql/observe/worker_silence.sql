-- A worker that is idle claims every few seconds, and one that is busy extends its leases every worker.heartbeat_interval_seconds. After three of these
-- without a word it is lost. Ten seconds more: mill.worker_seen writes no sooner.
create or replace function mill.worker_silence() returns interval
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select make_interval(secs => 3 * mill.setting('worker.heartbeat_interval_seconds', '30')::numeric::double precision + 10) $$;

comment on function mill.worker_silence() is 'How long a worker may be silent before it counts as lost: three heartbeats.';
revoke execute on function mill.worker_silence() from public;

-- The workers that live: seen of late, and not ended.
create or replace function mill.count_workers(p_now timestamptz) returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select count(*) from mill.worker w where w.ended_at is null and w.seen_at > p_now - mill.worker_silence() $$;

comment on function mill.count_workers(timestamptz) is 'How many workers have been seen within three heartbeats and have not ended.';
revoke execute on function mill.count_workers(timestamptz) from public;

-- Whether this worker ended after it was seen there last. The claim of its last moment may be noted up to ten seconds late.
create or replace function mill.has_ended(p_worker text, p_seen_at timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select exists (select from mill.worker w where w.worker = p_worker and w.ended_at >= p_seen_at) $$;

comment on function mill.has_ended(text, timestamptz) is 'Whether a worker said that it ends, after it was seen at this time.';
revoke execute on function mill.has_ended(text, timestamptz) from public;
