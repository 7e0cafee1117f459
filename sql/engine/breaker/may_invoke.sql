-- A half-open breaker lets a single probe through; whoever marks its row first is the probe. Skips a locked row:
-- another is marking it.
create or replace function mill.may_invoke(p_target text, p_invocation uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state text := (select b.state from mill.breaker b where b.target = p_target);
begin
  if coalesce(v_state, 'closed') = 'closed' then
    return true;
  end if;
  if v_state = 'open' then
    return false;
  end if;
  update mill.breaker b set probe = p_invocation
  where b.target = (
    select o.target from mill.breaker o
    where o.target = p_target and o.state = 'half_open' and o.probe is null
    for no key update skip locked);
  return found;
end
$$;

comment on function mill.may_invoke(text, uuid) is 'Whether the breaker lets this invocation of a target through.';
revoke execute on function mill.may_invoke(text, uuid) from public;
