-- The audit log under its compatible name, for reading. log_audit_event appends to it.
create or replace view public.audit_log as
select a.id, a.at, a.table_name, a.record_id, a.action, a.old_values, a.new_values, a.reason, a.source, a.patient_id, a.job_id,
  a.correlation_id, a.actor, a.actor_role
from mill.audit_log a;

comment on view public.audit_log is 'What happened. Append-only: no role changes or deletes a row.';
revoke all on public.audit_log from public, anon, authenticated, service_role;
grant select on public.audit_log to service_role;
