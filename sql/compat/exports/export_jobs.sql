-- The compatible table, as a view with exactly its columns. result_url is what a compat worker wrote, or the route that signs a fresh URL
-- for a file of our own worker; it is null once the file is gone. document_id is a plain column, so that documents(title) can be embedded.
create or replace view public.export_jobs with (security_barrier) as
select e.id, e.owner as user_id, e.document_id, 'pdf'::text as format,
  jsonb_build_object('templateSlug', e.template,
    'pageSize', case e.options ->> 'page_size' when 'a4' then 'A4' else initcap(e.options ->> 'page_size') end,
    'margins', e.options -> 'margins',
    'quality', case e.options ->> 'quality' when 'standard' then 'normal' else e.options ->> 'quality' end,
    'colorMode', e.options -> 'color_mode') as options,
  case when l.state in ('deferred', 'retrying') then 'pending' else coalesce(l.state, d.state, e.ended) end as status,
  coalesce(l.progress, d.progress, case e.ended when 'completed' then 100 else 0 end)::int as progress,
  coalesce(l.attempt, d.attempt, 0) as attempts, coalesce(l.max_attempts, d.max_attempts, 5) as max_attempts,
  coalesce(l.run_at, d.run_at, e.created_at) as run_after,
  case when h.id is not null then coalesce(e.result_url, '/v1/exports/' || e.id || '/download')
    when e.result_url ~* '^https?://' and e.result_url !~* '/storage/v1/' then e.result_url end as result_url,
  coalesce(h.file_size, e.result_size)::int as file_size, coalesce(h.page_count, e.result_pages) as page_count,
  case when l.id is not null then l.error ->> 'message' when coalesce(d.state, e.ended) = 'failed' then coalesce(e.message, d.error ->> 'message')
    end as error_message,
  l.worker as locked_by, coalesce(l.started_at, d.started_at) as started_at,
  case when l.id is null then coalesce(d.finished_at, h.created_at) end as completed_at, e.created_at
from mill.export e
left join mill.job_live l on l.id = e.id
left join mill.job d on d.id = e.id and d.state in ('completed', 'cancelled', 'failed')
left join mill.export_history h on h.id = e.id
where e.owner = auth.uid() or public.is_service_role();

comment on view public.export_jobs is 'Exports under their compatible name. Inserting asks for one, updating is what the compat client and worker do.';
revoke all on public.export_jobs from public, anon, authenticated, service_role;
grant select, insert, update on public.export_jobs to authenticated, service_role;
