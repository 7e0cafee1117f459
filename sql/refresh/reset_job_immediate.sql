create or replace function public.reset_job_immediate(p_job_id uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  return mill.settle_refresh_by_id(p_job_id, jsonb_build_object('outcome', 'released'));
end
$$;

comment on function public.reset_job_immediate(uuid) is 'Gives a running refresh back at once, without consuming its attempt: for deadlocks. False when it is not running any more.';
revoke execute on function public.reset_job_immediate(uuid) from public, anon, authenticated;
grant execute on function public.reset_job_immediate(uuid) to service_role;
