-- The documented table, as a view. Nobody updates it: only RPCs change the state of a job. result_url is the route
-- that makes a fresh signed URL.
create or replace view public.export_jobs with (security_barrier) as
select e.id, e.owner as user_id, e.document_id, 'pdf'::text as format,
  e.options || jsonb_build_object('template', e.template) as options,
  case when l.state in ('deferred', 'retrying') then 'pending' else coalesce(l.state, d.state, e.ended) end as status,
  coalesce(l.progress, d.progress)::int as progress, coalesce(l.attempt, d.attempt) as attempts,
  coalesce(l.max_attempts, d.max_attempts) as max_attempts, case when l.state in ('deferred', 'retrying') then l.run_at end as run_after,
  case when h.id is not null then '/v1/exports/' || e.id || '/download' end as result_url,
  h.file_size, h.page_count,
  case when l.id is null and coalesce(d.state, e.ended) = 'failed' then coalesce(e.message, d.error ->> 'message') end as error_message,
  coalesce(l.started_at, d.started_at) as started_at, d.finished_at as completed_at, e.created_at
from mill.export e
left join mill.job_live l on l.id = e.id
left join mill.job d on d.id = e.id and d.state in ('completed', 'cancelled', 'failed')
left join public.export_history h on h.id = e.id
where e.owner = auth.uid() or public.is_service_role();

comment on view public.export_jobs is 'Exports under their documented name. Inserting asks for one.';
revoke all on public.export_jobs from public, anon, authenticated, service_role;
grant select, insert on public.export_jobs to authenticated, service_role;
