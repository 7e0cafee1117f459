create or replace function public.log_audit_event(
  p_table_name text, p_record_id text, p_action text, p_old_values jsonb default null, p_new_values jsonb default null,
  p_reason text default null, p_source text default null, p_patient_id uuid default null,
  p_job_id uuid default null, p_correlation_id text default null)
returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.audit(p_table_name, p_record_id, p_action, p_old_values, p_new_values, p_reason,
    coalesce(p_source, 'api'), p_patient_id, p_job_id, p_correlation_id)
$$;

comment on function public.log_audit_event(text, text, text, jsonb, jsonb, text, text, uuid, uuid, text) is
  'Appends an event to the audit log, in the caller''s transaction; answers its id.';
revoke execute on function public.log_audit_event(text, text, text, jsonb, jsonb, text, text, uuid, uuid, text) from public, anon, authenticated;
grant execute on function public.log_audit_event(text, text, text, jsonb, jsonb, text, text, uuid, uuid, text) to service_role;
