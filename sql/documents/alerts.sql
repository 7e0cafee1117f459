-- The objectives of documents, as alert rules: 95 of 100 uploads have passed the fast stages within 2 minutes, and the passes of the
-- model within 10 more.

-- One row per document of the last hour. A document that is still under way counts from the moment on at which it is late: before,
-- nobody knows how long it will take. Late documents are looked for over a day, so that a standstill of hours stays visible.
-- The newest 2,000 are enough for a p95: in a standstill they are the ones that wait. Reprocessed documents are left out: nobody waits for an upload.
create or replace function mill.document_times(p_fast_late interval, p_ai_late interval)
returns table (fast_seconds numeric, ai_seconds numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select
    case when s.finished_at is not null and d.is_recent or d.is_fast and d.now - d.uploaded_at >= p_fast_late
      then extract(epoch from coalesce(s.finished_at, d.now) - d.uploaded_at) end,
    case when d.completed_at is not null and d.is_recent or d.is_open and d.now - s.finished_at >= p_ai_late
      then extract(epoch from coalesce(d.completed_at, d.now) - s.finished_at) end
  from (
    select n.now, f.uploaded_at, f.completed_at, (f.stage_jobs ->> 'spatial')::uuid as spatial_job,
      f.uploaded_at > n.now - interval '1 hour' as is_recent,
      f.status in ('uploaded', 'processing') as is_open,
      f.status in ('uploaded', 'processing') and coalesce(f.stage, 'security') in ('security', 'ocr', 'spatial') as is_fast
    from public.shell_files f cross join (select mill.now() as now) n
    where f.uploaded_at > n.now - interval '1 day' and f.run = 1
    order by f.uploaded_at desc limit 2000) d
  -- Looked up one by one: a join would read all jobs that ever ended.
  left join lateral (select j.finished_at from mill.job_done j where j.id = d.spatial_job limit 1) s on true
$$;
comment on function mill.document_times(interval, interval) is
  'Per document: seconds from the upload to the end of the fast stages, and from there to the end of the passes. Null where that does not count.';
revoke execute on function mill.document_times(interval, interval) from public;

create or replace function mill.measure_fast_stages() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'documents', round((percentile_disc(0.95) within group (order by t.fast_seconds)), 3)
  from mill.document_times('2 minutes', '10 minutes') t where t.fast_seconds is not null
  having count(*) >= 20 -- with fewer the slowest one would be the p95
$$;
comment on function mill.measure_fast_stages() is 'p95 of the seconds from upload to the end of the fast stages, of an hour with 20 or more documents.';
revoke execute on function mill.measure_fast_stages() from public;

create or replace function mill.measure_ai_passes() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'documents', round((percentile_disc(0.95) within group (order by t.ai_seconds)), 3)
  from mill.document_times('2 minutes', '10 minutes') t where t.ai_seconds is not null
  having count(*) >= 20
$$;
comment on function mill.measure_ai_passes() is 'p95 of the seconds from the end of the fast stages to the end of the passes, of an hour with 20 or more documents.';
revoke execute on function mill.measure_ai_passes() from public;

create or replace function mill.measure_doubts() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select d.reason, count(distinct d.document_id)::numeric
  from public.shell_files f join public.document_doubts d on d.document_id = f.id
  where f.status = 'needs_review' group by d.reason
$$;
comment on function mill.measure_doubts() is 'Per reason: documents that wait for a person''s review because of it.';
revoke execute on function mill.measure_doubts() from public;

insert into mill.alert_rule (rule, severity, measure, threshold, hold_seconds, description) values
  ('fast_stages_slow', 'P1', 'mill.measure_fast_stages', 120, 300, 'The p95 of the fast stages is 2 minutes or more'),
  ('ai_passes_slow', 'P1', 'mill.measure_ai_passes', 600, 300, 'The p95 of the passes of the model is 10 minutes or more'),
  ('documents_need_review', 'P2', 'mill.measure_doubts', 100, 3600, '100 documents or more wait for a review for one reason')
on conflict (rule) do nothing;
