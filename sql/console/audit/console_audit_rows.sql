-- Audit rows as the console shows them, newest first. p_condition is SQL of ours over the alias a, its values already quoted.
create or replace function mill.console_audit_rows(p_condition text, p_max int, p_has_values boolean) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rows jsonb;
begin
  execute format('select coalesce(jsonb_agg(mill.console_audit_row(to_jsonb(a), $2) order by a.id desc), ''[]'') from (select * from mill.audit_log a where %s order by a.id desc limit $1) a', p_condition)
  into v_rows using p_max, p_has_values;
  return v_rows;
end
$$;

comment on function mill.console_audit_rows(text, int, boolean) is 'The newest audit rows that fulfil a condition, as the console shows them.';
revoke execute on function mill.console_audit_rows(text, int, boolean) from public;

create or replace function mill.console_audit_row(p_row jsonb, p_has_values boolean) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('id', p_row -> 'id', 'at', p_row -> 'at', 'table', p_row -> 'table_name', 'record', p_row -> 'record_id', 'action', p_row -> 'action',
    'actor', p_row -> 'actor', 'email', p_row #> '{new_values,email}', 'actor_role', p_row -> 'actor_role', 'source', p_row -> 'source', 'reason', mill.cut_text(p_row ->> 'reason', 500),
    'job_id', p_row -> 'job_id', 'correlation_id', p_row -> 'correlation_id',
    'old', case when p_has_values then p_row -> 'old_values' end, 'new', case when p_has_values then p_row -> 'new_values' end)
$$;

comment on function mill.console_audit_row(jsonb, boolean) is 'One audit row as the console shows it.';
revoke execute on function mill.console_audit_row(jsonb, boolean) from public;
