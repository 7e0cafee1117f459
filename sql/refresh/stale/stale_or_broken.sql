-- One bad registry row never stops the others: its failure is an event, and what cannot be checked counts as stale.
create or replace function mill.stale_or_broken(p_type public.data_type_registry, p_symbols text[]) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  return mill.stale_symbols(p_type, p_symbols);
exception
  when query_canceled then raise;
  when others then
    -- Once a minute and type: a pass comes by here for every few hundred symbols.
    if mill.every_minute('staleness_failed.' || p_type.data_type) then
      insert into mill.event (at, code, detail) values (mill.now(), 'staleness_failed',
        jsonb_build_object('data_type', p_type.data_type, 'sqlstate', sqlstate, 'message', sqlerrm));
    end if;
    return p_symbols;
end
$$;

comment on function mill.stale_or_broken(public.data_type_registry, text[]) is 'mill.stale_symbols, or all of the symbols where the check itself fails.';
revoke execute on function mill.stale_or_broken(public.data_type_registry, text[]) from public;
