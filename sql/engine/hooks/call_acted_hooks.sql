-- Tells the hooks of acted what was done to jobs. The jobs still lie where the action left them; a discarded one is told before it goes.
create or replace function mill.call_acted_hooks(p_ids uuid[], p_action text, p_reason text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_ids <> '{}' then
    perform mill.call_hooks('acted', jsonb_build_object('action', p_action, 'reason', p_reason, 'jobs', to_jsonb(p_ids)));
  end if;
end
$$;

comment on function mill.call_acted_hooks(uuid[], text, text) is 'Tells the hooks that jobs died, were cancelled, retried or discarded.';
revoke execute on function mill.call_acted_hooks(uuid[], text, text) from public;
