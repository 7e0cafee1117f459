-- One row from wherever the job lies: live, in a pack, done or dead. turn and line say where it stands; a job in a pack stands where its pack does.
create or replace function mill.explained_job(p_id uuid) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select to_jsonb(j) from (
    select j.id, j.queue, j.kind, j.state, j.priority, j.attempt, j.max_attempts, j.run_at, j.created_at, j.started_at, j.finished_at, j.lease_until,
      j.worker, j.lease_losses, j.cancel_requested, j.error, j.owner, j.group_key, j.lane, j.line, j.turn
    from mill.job j where j.id = p_id
    union all
    select p.id, p.queue, p.kind, p.state, p.priority, p.attempt, p.max_attempts, p.run_at, p.created_at, p.started_at, p.finished_at, p.lease_until,
      p.worker, 0, false, p.error, p.owner, null, null, k.line, k.turn
    from mill.packed_job p join mill.pack k on k.first = p.pack
    where p.pack = mill.pack_of(p_id) and p.id = p_id) j
  limit 1
$$;

comment on function mill.explained_job(uuid) is 'What mill.explain_job has to know about a job, or null. For mill.explain_job alone.';
revoke execute on function mill.explained_job(uuid) from public;
