create or replace function mill.audit_status() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.audit('jobs', new.id::text, case when tg_op = 'INSERT' then 'start' else new.status end,
    case when tg_op = 'UPDATE' then jsonb_build_object('status', old.status) end,
    jsonb_strip_nulls(jsonb_build_object('status', new.status, 'type', new.type, 'version', new.version, 'error', new.error ->> 'type')),
    p_source => 'workflows', p_job_id => new.id, p_correlation_id => new.correlation_id);
  return null;
end
$$;

comment on function mill.audit_status() is 'Notes in the audit log that a job was started, resumed or has ended. Params and outputs stay out.';
revoke execute on function mill.audit_status() from public, anon, authenticated;

drop trigger if exists audit_start on mill.workflow;
create trigger audit_start after insert on mill.workflow for each row execute function mill.audit_status();
drop trigger if exists audit_status on mill.workflow;
create trigger audit_status after update of status on mill.workflow for each row
when (old.status is distinct from new.status) execute function mill.audit_status();
