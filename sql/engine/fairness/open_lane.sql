-- A tenant that comes back starts at the virtual time of the job that was last served: idling earns no credit. Its row is
-- locked even where nothing changes, so that maintenance cannot delete it in between.
create or replace function mill.open_lane(p_queue text, p_tenant text, p_lane text, p_group_key text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_served bigint := coalesce((select c.served from mill.virtual_clock c where c.queue = p_queue), 0);
begin
  insert into mill.tenant as t (queue, tenant, served) values (p_queue, p_tenant, v_served)
  on conflict (queue, tenant) do update set served = greatest(t.served, v_served);
  insert into mill.lane as l (queue, lane, tenant, group_key) values (p_queue, p_lane, p_tenant, p_group_key)
  on conflict (queue, lane) do update set idle = false where l.idle;
end
$$;

comment on function mill.open_lane(text, text, text, text) is 'Makes one lane one that claims look at.';
revoke execute on function mill.open_lane(text, text, text, text) from public;
