-- One bad registry row never stops the others: whatever fails for a type is an event of that type.
create or replace function mill.queue_stale(p_type public.data_type_registry, p_symbols text[], p_priority int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(cardinality(p_symbols), 0) = 0 then
    return 0;
  end if;
  return mill.queue_refreshes(p_type, mill.stale_or_broken(p_type, p_symbols), p_priority);
exception
  when query_canceled then raise;
  when others then
    insert into mill.event (at, code, detail) values (mill.now(), 'queue_stale_failed',
      jsonb_build_object('data_type', p_type.data_type, 'sqlstate', sqlstate, 'message', sqlerrm));
    return 0;
end
$$;

comment on function mill.queue_stale(public.data_type_registry, text[], int) is
  'Queues the stale ones of some symbols; says how many refreshes were new. Without a priority each gets the number of its viewers.';
revoke execute on function mill.queue_stale(public.data_type_registry, text[], int) from public;
