-- Called first by every console RPC that changes something. From here to the end of the transaction every audit row names person and reason.
create or replace function mill.begin_console_action(p_role text, p_reason text) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console(p_role);
  v_actor jsonb := mill.console_actor();
begin
  if coalesce(length(btrim(p_reason)), 0) not between 1 and 500 then
    raise exception 'an action needs a reason of 1 to 500 characters' using errcode = 'GM111', hint = 'Say why, in p_reason: the audit log keeps it.';
  end if;
  perform mill.act_as(jsonb_build_object('source', 'console', 'reason', btrim(p_reason), 'email', v_actor ->> 'email', 'actor', v_actor ->> 'sub'));
  return v_role;
end
$$;

comment on function mill.begin_console_action(text, text) is 'Requires a console role and a reason, and has the audit log name both; answers the caller''s role.';
revoke execute on function mill.begin_console_action(text, text) from public;
