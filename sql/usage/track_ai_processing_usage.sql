create or replace function mill.ai_counts(p_tokens bigint, p_seconds numeric) returns jsonb
language sql immutable
return jsonb_build_object('ai_calls', 1, 'ai_tokens', least(greatest(p_tokens, 0), 1000000000),
  'ai_seconds', round(least(greatest(p_seconds, 0), 86400), 3));

comment on function mill.ai_counts(bigint, numeric) is 'What a model call adds to a profile''s usage, within reason whatever was reported.';
revoke execute on function mill.ai_counts(bigint, numeric) from public;

-- With p_job_id it counts once per job, however often the job's last step is repeated. A user who could call it first, with the id of a
-- running job and no tokens, would make the real count a repeat: so the service alone may.
create or replace function public.track_ai_processing_usage(
  p_profile_id uuid, p_shell_file_id uuid, p_tokens_used bigint, p_processing_seconds numeric default 0, p_job_id uuid default null)
returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.count_usage(p_profile_id, 'ai_processing_completed', p_job_id::text,
    mill.ai_counts(p_tokens_used, p_processing_seconds), p_shell_file_id, p_job_id)
$$;

comment on function public.track_ai_processing_usage(uuid, uuid, bigint, numeric, uuid) is
  'Counts model calls of a profile: {tracked, allowed, over}. allowed is false only past the plan while billing is on, and then nothing was counted.';
revoke execute on function public.track_ai_processing_usage(uuid, uuid, bigint, numeric, uuid) from public, anon, authenticated;
grant execute on function public.track_ai_processing_usage(uuid, uuid, bigint, numeric, uuid) to service_role;
