create or replace function public.storage_buckets() returns setof text
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select b.bucket from mill.bucket b order by b.bucket $$;

comment on function public.storage_buckets() is 'The buckets that there are. The storage stand-in asks.';
revoke execute on function public.storage_buckets() from public, anon, authenticated;
grant execute on function public.storage_buckets() to service_role;
