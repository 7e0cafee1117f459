-- The last call of a worker that ends: from now on nobody takes it for alive. It may be repeated. What the worker still holds is not touched: that is
-- settled as released before, or returns when the leases end.
create or replace function public.end_worker(p_worker text) returns void
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ update mill.worker w set ended_at = mill.now() where w.worker = p_worker and w.ended_at is null $$;

comment on function public.end_worker(text) is 'A worker says that it ends: it is shown as alive no longer.';
revoke execute on function public.end_worker(text) from public, anon, authenticated;
grant execute on function public.end_worker(text) to service_role;
