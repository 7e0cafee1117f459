-- Artifacts are registered with the outcome that made them. One that is not where this task may write is left out
-- and noted: a worker that names another's object must not make it downloadable, and settling must not fail.
create or replace function mill.keep_artifacts(p_ids uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  with made as (
    select j.id as job_id, j.user_id, t.id as task_id, a.artifact, a.artifact ->> 'type' as type, coalesce(a.artifact ->> 'bucket', 'gristmill') as bucket,
      -- Named by the task, or by a word of its own such as full_nuclear. No word is the id of a task.
      format('^%s/%s/%s/(%s|[a-z][a-z0-9_]{0,40})\.%s$', j.user_id, j.id, f.folder, t.id, f.ending) as place
    from mill.task t
    join mill.workflow j on j.id = t.job_id
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(t.output -> 'artifacts') when 'array' then t.output -> 'artifacts' else '[]' end) as a(artifact)
    left join (values ('audio_mp3', 'audio', 'mp3'), ('audio_m4a', 'audio', 'm4a'), ('pdf', 'pdf', 'pdf'), ('json', 'json', 'json')) as f(type, folder, ending)
      on f.type = a.artifact ->> 'type'
    where t.id = any (p_ids) and t.state = 'completed'
  ),
  judged as (
    select m.*, m.artifact ->> 'storage_path' ~ m.place and m.bucket in ('gristmill', 'job-artifacts')
      and m.artifact ->> 'sha256' ~ '^[0-9a-f]{64}$' and m.artifact ->> 'bytes' ~ '^\d{1,15}$'
      and coalesce(m.artifact ->> 'duration_seconds', '0') ~ '^\d{1,9}(\.\d+)?$' is true as is_good
    from made m
  ),
  refused as (
    insert into mill.event (at, code, detail)
    select mill.now(), 'artifact_refused', jsonb_build_object('job', g.job_id, 'task', g.task_id) from judged g where not coalesce(g.is_good, false)
  )
  insert into public.job_artifacts (id, job_id, user_id, task_id, artifact_type, storage_path, file_size_bytes, duration_seconds, sha256, title, created_at, bucket)
  select mill.uuid7(), g.job_id, g.user_id, g.task_id, g.type, g.artifact ->> 'storage_path', (g.artifact ->> 'bytes')::bigint,
    (g.artifact ->> 'duration_seconds')::numeric, g.artifact ->> 'sha256', left(g.artifact ->> 'title', 200), mill.now(), g.bucket
  from judged g where g.is_good
  on conflict (storage_path) do update set
    file_size_bytes = excluded.file_size_bytes, duration_seconds = excluded.duration_seconds, sha256 = excluded.sha256, title = excluded.title,
    bucket = excluded.bucket
  -- A word that another task has taken stays its own.
  where job_artifacts.task_id = excluded.task_id
$$;

comment on function mill.keep_artifacts(uuid[]) is 'Registers the artifacts that completed tasks named in their outputs.';
revoke execute on function mill.keep_artifacts(uuid[]) from public;
