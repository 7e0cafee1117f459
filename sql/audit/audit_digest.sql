-- jsonb orders its keys and prints numbers one way, so the text is the same whoever asks. Time as microseconds:
-- its text would depend on the session's time zone.
create or replace function mill.audit_digest(p_row mill.audit_log) returns bytea
language sql stable
return sha256(convert_to(jsonb_build_array(
  p_row.id, (extract(epoch from p_row.at) * 1000000)::bigint, p_row.table_name, p_row.record_id, p_row.action,
  p_row.old_values, p_row.new_values, p_row.reason, p_row.source, p_row.patient_id, p_row.job_id,
  p_row.correlation_id, p_row.actor, p_row.actor_role)::text, 'UTF8'));

comment on function mill.audit_digest(mill.audit_log) is 'What is hashed of an audit row: every column.';
revoke execute on function mill.audit_digest(mill.audit_log) from public;
