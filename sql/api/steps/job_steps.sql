create or replace function public.job_steps(p_job uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('step', s.step, 'state', s.state, 'attempt', s.attempt, 'at', s.at, 'event', s.event,
      'until', nullif(s.until, 'infinity'))) || jsonb_build_object('result', s.result) order by s.n), '[]')
  from mill.job_step s where s.job = p_job
$$;

comment on function public.job_steps(uuid) is 'The steps of a job in their order: what was done, with the results, and what it sleeps or waits for.';
revoke execute on function public.job_steps(uuid) from public, anon, authenticated;
grant execute on function public.job_steps(uuid) to service_role;
