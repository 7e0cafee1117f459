create or replace function public.get_job_logs(p_id uuid, p_after bigint default 0) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Empty for an unknown job and for another's alike.
  select coalesce(jsonb_agg(jsonb_build_object('n', l.n, 'at', l.at, 'attempt', l.attempt, 'level', l.level, 'message', l.message, 'data', l.data) order by l.n), '[]')
  from mill.job_log l
  where l.job = p_id and l.n > p_after
    and (public.is_service_role() or exists (select from mill.job j where j.id = p_id and j.owner = auth.uid()))
$$;

comment on function public.get_job_logs(uuid, bigint) is 'The lines of the log of one job of the caller''s (any, for the service) after line p_after, in order.';
revoke execute on function public.get_job_logs(uuid, bigint) from public, anon;
grant execute on function public.get_job_logs(uuid, bigint) to authenticated, service_role;
