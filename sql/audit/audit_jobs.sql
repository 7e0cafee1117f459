-- One statement for a whole batch. Payloads and results stay out: the log says what happened to a job, not what is in it.
-- p_table is the name under which the caller knows jobs.
create or replace function mill.audit_jobs(p_ids uuid[], p_action text, p_reason text, p_table text default 'job') returns void
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  with appended as (
    insert into mill.audit_log (
      at, table_name, record_id, action, new_values, reason, source, job_id, correlation_id, actor, actor_role)
    select mill.now(), p_table, j.id::text, p_action,
      jsonb_strip_nulls(jsonb_build_object('queue', j.queue, 'kind', j.kind, 'state', j.state, 'attempt', j.attempt,
        'worker', j.worker, 'owner', j.owner, 'error', j.error ->> 'type', 'email', a.acting ->> 'email')),
      coalesce(p_reason, a.acting ->> 'reason'), coalesce(a.acting ->> 'source', 'engine'), j.id, coalesce(j.correlation_id, mill.correlation_id()),
      coalesce(auth.uid(), (a.acting ->> 'actor')::uuid), coalesce(auth.jwt() ->> 'role', session_user)
    from mill.job j cross join (select mill.acting() as acting offset 0) a
    where j.id = any (p_ids)
    order by j.id
    returning id, at
  )
  insert into mill.audit_unchained (audit_id, at) select a.id, a.at from appended a
$$;

comment on function mill.audit_jobs(uuid[], text, text, text) is 'Appends an event for each of the jobs that exist.';
revoke execute on function mill.audit_jobs(uuid[], text, text, text) from public;
