-- Appends one event. Waits for nobody: see sql/audit/tables.sql.
create or replace function mill.audit(
  p_table text, p_record text, p_action text, p_old jsonb default null, p_new jsonb default null,
  p_reason text default null, p_source text default 'gristmill', p_patient_id uuid default null,
  p_job_id uuid default null, p_correlation_id text default null)
returns bigint
language sql
set search_path = pg_catalog, pg_temp
as $$
  with appended as (
    insert into mill.audit_log (
      at, table_name, record_id, action, old_values, new_values, reason, source, patient_id, job_id,
      correlation_id, actor, actor_role)
    select
      mill.now(), p_table, p_record, p_action, p_old,
      case when a.acting ? 'email' and coalesce(jsonb_typeof(p_new), 'object') = 'object'
        then coalesce(p_new, '{}') || jsonb_build_object('email', a.acting ->> 'email') else p_new end,
      coalesce(p_reason, a.acting ->> 'reason'), coalesce(a.acting ->> 'source', p_source, 'gristmill'), p_patient_id, p_job_id,
      coalesce(p_correlation_id, mill.correlation_id()), coalesce(auth.uid(), (a.acting ->> 'actor')::uuid), coalesce(auth.jwt() ->> 'role', session_user)
    from (select mill.acting() as acting) a
    returning id, at
  )
  insert into mill.audit_unchained (audit_id, at) select a.id, a.at from appended a
  returning audit_id
$$;

comment on function mill.audit(text, text, text, jsonb, jsonb, text, text, uuid, uuid, text) is
  'Appends an event to the audit log, in the caller''s transaction; answers its id.';
revoke execute on function mill.audit(text, text, text, jsonb, jsonb, text, text, uuid, uuid, text) from public;
