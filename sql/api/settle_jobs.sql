-- One call settles a batch. With p_invocation, that invocation has ended; if its queue still has due jobs,
-- the next one is asked for at once, so that a backlog drains without waiting for the pump.
create or replace function public.settle_jobs(p_worker text, p_outcomes jsonb, p_invocation uuid default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answers jsonb;
  v_queue text;
begin
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into v_answers from mill.settle(p_worker, p_outcomes) s;

  if p_invocation is not null then
    update mill.invocation i set ended_at = mill.now(), jobs = null
    where i.id = p_invocation and i.begun_at is not null and i.ended_at is null
    returning i.queue into v_queue;
    if v_queue is not null then
      perform mill.wake(q, 'more') from mill.queue q where q.queue = v_queue;
    end if;
  end if;
  return v_answers;
end
$$;

comment on function public.settle_jobs(text, jsonb, uuid) is 'Settles a batch of outcomes, as an array of {id, status}.';
revoke execute on function public.settle_jobs(text, jsonb, uuid) from public, anon, authenticated;
grant execute on function public.settle_jobs(text, jsonb, uuid) to service_role;
