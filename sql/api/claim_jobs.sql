-- One call claims a batch. With p_invocation, it is that invocation's single claim: a replayed or duplicated
-- wake-up finds it begun and gets nothing.
create or replace function public.claim_jobs(
  p_worker text, p_queues text[], p_max int, p_kinds text[] default null, p_invocation uuid default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jobs jsonb;
begin
  if p_invocation is not null then
    update mill.invocation i set begun_at = mill.now() where i.id = p_invocation and i.begun_at is null;
    if not found then
      return '[]'::jsonb;
    end if;
  else
    perform mill.worker_seen(p_worker, p_queues);
  end if;

  select coalesce(jsonb_agg(to_jsonb(c)), '[]'::jsonb) into v_jobs from mill.claim(p_worker, p_queues, p_max, p_kinds) c;

  -- An invocation that found nothing has nothing to settle: it ends here.
  if p_invocation is not null then
    update mill.invocation i
    set claimed = jsonb_array_length(v_jobs), ended_at = case when v_jobs = '[]' then mill.now() end
    where i.id = p_invocation;
  end if;
  return v_jobs;
end
$$;

comment on function public.claim_jobs(text, text[], int, text[], uuid) is 'Leases due jobs to a worker, as an array.';
revoke execute on function public.claim_jobs(text, text[], int, text[], uuid) from public, anon, authenticated;
grant execute on function public.claim_jobs(text, text[], int, text[], uuid) to service_role;
