-- One call settles a batch, of at most a thousand: a claim gives out no more. With p_invocation, that invocation has ended.
create or replace function public.settle_jobs(p_worker text, p_outcomes jsonb, p_invocation uuid default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answers jsonb;
begin
  if jsonb_typeof(p_outcomes) = 'array' and jsonb_array_length(p_outcomes) > 1000 then
    raise exception '% outcomes are too many for one call', jsonb_array_length(p_outcomes) using errcode = 'GM005', hint = 'Send 1,000 at the most.';
  end if;
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into v_answers from mill.settle(p_worker, p_outcomes) s;
  if p_invocation is not null then
    perform mill.end_invocation(p_invocation);
  end if;
  return v_answers;
end
$$;

comment on function public.settle_jobs(text, jsonb, uuid) is 'Settles a batch of outcomes, as an array of {id, status}.';
revoke execute on function public.settle_jobs(text, jsonb, uuid) from public, anon, authenticated;
grant execute on function public.settle_jobs(text, jsonb, uuid) to service_role;
