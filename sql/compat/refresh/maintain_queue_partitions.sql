create or replace function public.maintain_queue_partitions() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  if mill.entry_lock('maintain-partitions') then
    perform mill.maintain();
  end if;
end
$$;

comment on function public.maintain_queue_partitions() is 'Prepares and drops day partitions; waits one second for a lock, then leaves it for the next time.';
revoke execute on function public.maintain_queue_partitions() from public, anon, authenticated;
grant execute on function public.maintain_queue_partitions() to service_role;
