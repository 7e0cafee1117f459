-- For events whose hooks take one jsonb and answer nothing. See mill.hook.
create or replace function mill.call_hooks(p_event text, p_detail jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_routine text;
begin
  for v_routine in select h.routine from mill.hook h where h.event = p_event order by h.place, h.routine loop
    execute format('select %s($1)', v_routine) using p_detail;
  end loop;
end
$$;

comment on function mill.call_hooks(text, jsonb) is 'Calls the hooks of an event, in the order of their places.';
revoke execute on function mill.call_hooks(text, jsonb) from public;

-- For events that have one hook at the most. Null when there is none.
create or replace function mill.hook_of(p_event text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (select h.routine from mill.hook h where h.event = p_event order by h.place, h.routine limit 1);
end
$$;

comment on function mill.hook_of(text) is 'The first hook of an event, or null.';
revoke execute on function mill.hook_of(text) from public;
