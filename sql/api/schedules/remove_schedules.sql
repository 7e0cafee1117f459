create or replace function public.remove_schedules(p_schedules text[]) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_removed text[];
begin
  with removed as (
    delete from mill.job_schedule s where s.schedule = any (p_schedules) returning s.schedule
  )
  select coalesce(array_agg(r.schedule order by r.schedule), '{}') into v_removed from removed r;
  perform mill.call_hooks('operated', jsonb_build_object('table', 'job_schedule', 'record', r, 'action', 'remove')) from unnest(v_removed) r;
  return to_jsonb(v_removed);
end
$$;

comment on function public.remove_schedules(text[]) is 'Removes schedules with what is known about their runs; the jobs stay. Answers the names of those that were there.';
revoke execute on function public.remove_schedules(text[]) from public, anon, authenticated;
grant execute on function public.remove_schedules(text[]) to service_role;
