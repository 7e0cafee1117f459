create or replace function public.cleanup_steps() returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(s.step order by s.place, s.step), '[]') from mill.cleanup_step s where s.enabled
$$;

comment on function public.cleanup_steps() is 'The names of the cleanup''s steps, in their order.';
revoke execute on function public.cleanup_steps() from public, anon, authenticated;
grant execute on function public.cleanup_steps() to service_role;
