create or replace function mill.maintain_unless_running() returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if not mill.entry_lock('maintain-partitions') then
    return jsonb_build_object('skipped', true);
  end if;
  return mill.maintain();
end
$$;

comment on function mill.maintain_unless_running() is 'mill.maintain, or {skipped} while another run is at it.';
revoke execute on function mill.maintain_unless_running() from public;

create or replace function public.maintain_queue_partitions() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  perform mill.maintain_unless_running();
end
$$;

comment on function public.maintain_queue_partitions() is 'Prepares and drops day partitions; waits one second for a lock, then leaves it for the next time.';
revoke execute on function public.maintain_queue_partitions() from public, anon, authenticated;
grant execute on function public.maintain_queue_partitions() to service_role;
