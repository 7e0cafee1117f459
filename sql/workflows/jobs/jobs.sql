-- Jobs in the compatible form: the service sees every job, a user its own. Extra columns of ours come after the compatible ones.
create or replace view public.jobs with (security_barrier) as
select j.id, j.user_id, j.type, j.params,
  case s.status when 'completed' then 'complete' else s.status end as status,
  jsonb_build_object('percent', s.percent, 'phase', s.phase, 'docsComplete', j.docs_complete, 'docsTotal', j.docs_total, 'message', s.message) as progress,
  j.created_at, j.updated_at, j.version, j.output, j.error, j.priority, j.idempotency_key, j.correlation_id, j.revision, j.finished_at
from mill.workflow j join mill.workflow_state s on s.id = j.id
where public.is_service_role() or j.user_id = (select auth.uid());

comment on view public.jobs is
  'Jobs of many tasks. Inserting starts one. Users see their own, create under their own id, and change nothing else. Statuses: queued, processing, complete, failed, cancelled.';
revoke all on public.jobs from public, anon, authenticated, service_role;
grant select, insert (user_id, type, params, status, idempotency_key) on public.jobs to authenticated, service_role;

create or replace function mill.insert_job() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := case when public.is_service_role() then new.user_id else auth.uid() end;
  v_id uuid;
begin
  if not public.is_service_role() then
    perform mill.refuse_in_maintenance();
  end if;
  if v_user is null or v_user <> coalesce(new.user_id, v_user) then
    raise exception 'user_id must be the id of the caller' using errcode = '42501';
  end if;
  if coalesce(new.status, 'queued') <> 'queued' then
    raise exception 'a new job has the status queued' using errcode = '42501';
  end if;
  insert into mill.workflow (type, params, user_id, idempotency_key)
  values (new.type, coalesce(new.params, '{}'), v_user, new.idempotency_key)
  returning id into v_id;
  select s.* into new from public.jobs s where s.id = v_id;
  return new;
end
$$;

comment on function mill.insert_job() is 'Starts a job where a row is inserted into jobs.';
revoke execute on function mill.insert_job() from public;

drop trigger if exists jobs_are_started on public.jobs;
create trigger jobs_are_started instead of insert on public.jobs for each row execute function mill.insert_job();
