create or replace function public.reset_job_immediate(p_job_id uuid) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_primary();
  perform mill.settle_compat_lease(p_job_id, jsonb_build_object('outcome', 'released'), '^refresh(-|$)');
end
$$;

comment on function public.reset_job_immediate(uuid) is 'Gives a refresh that get_queue_batch gave out back at once, without consuming its attempt: for deadlocks. Nothing happens when no such lease runs.';
revoke execute on function public.reset_job_immediate(uuid) from public, anon, authenticated;
grant execute on function public.reset_job_immediate(uuid) to service_role;
