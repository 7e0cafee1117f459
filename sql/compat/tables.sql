-- What the compatible calls need to know beyond the engine. See docs/compat.md.
--
-- A job is leased to a worker, in an attempt, at a time. A row here says that a compat claim gave out that very lease; a row
-- whose lease is over means nothing, and goes when its job is claimed again, is settled, or is cleaned up.
create table mill.compat_lease (
  id uuid primary key,
  worker text not null,
  attempt int not null,
  started_at timestamptz not null,
  -- The claim or the last heartbeat, and when claim_next_job_v3 and update_job_heartbeat expect the next one.
  seen_at timestamptz,
  heartbeat_at timestamptz
) with (fillfactor = 50);
comment on table mill.compat_lease is 'The leases that compat claims gave out, one row per job: the last one.';
create index compat_lease_age on mill.compat_lease (started_at);
