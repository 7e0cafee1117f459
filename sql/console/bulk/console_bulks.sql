create or replace function public.console_bulks(p_limit int default 20) returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.require_console('viewer');
begin
  return jsonb_build_object('bulks', (
    select coalesce(jsonb_agg(mill.shown_bulk(b) order by b.id desc), '[]')
    from (select * from mill.console_bulk order by id desc limit least(greatest(coalesce(p_limit, 20), 1), 200)) b));
end
$$;

comment on function public.console_bulks(int) is 'Bulk actions, the newest first, and how far each is. For viewers of the console.';
revoke execute on function public.console_bulks(int) from public, anon;
grant execute on function public.console_bulks(int) to authenticated, service_role;
