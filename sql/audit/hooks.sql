-- What the audit log keeps of what happens in the engine.
create or replace function mill.audit_acted(p_acted jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.audit_jobs(array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j), p_acted ->> 'action', p_acted ->> 'reason')
$$;
comment on function mill.audit_acted(jsonb) is 'Hook of acted: appends an event for each job.';
revoke execute on function mill.audit_acted(jsonb) from public;

create or replace function mill.audit_operated(p_operated jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select mill.audit(p_operated ->> 'table', p_operated ->> 'record', p_operated ->> 'action', p_reason => p_operated ->> 'reason', p_source => 'engine')
$$;
comment on function mill.audit_operated(jsonb) is 'Hook of operated: appends an event for a queue or a breaker.';
revoke execute on function mill.audit_operated(jsonb) from public;

insert into mill.settings (key, value, type, description) values
  ('audit.retention_days', '2555', 'number', 'How long audit rows are kept; whole months are dropped')
on conflict (key) do nothing;

insert into mill.hook (event, routine, place) values
  ('acted', 'mill.audit_acted', 100),
  ('operated', 'mill.audit_operated', 100),
  ('tick', 'mill.chain_audit', 20),
  ('maintain', 'mill.maintain_audit', 10)
on conflict (event, routine) do update set place = excluded.place;
