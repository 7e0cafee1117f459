create or replace function mill.ai_counts(p_tokens bigint, p_seconds numeric) returns jsonb
language sql immutable
return jsonb_build_object('ai_calls', 1, 'ai_tokens', least(greatest(p_tokens, 0), 1000000000),
  'ai_seconds', round(least(greatest(p_seconds, 0), 86400), 3));

comment on function mill.ai_counts(bigint, numeric) is 'What a model call adds to a profile''s usage, within reason whatever was reported.';
revoke execute on function mill.ai_counts(bigint, numeric) from public;

-- Counts once per job, however often the job's last step is repeated; without a job each call counts. Tokens that were used count also past the
-- plan: the work was allowed when it was enqueued. A user who could call it first, with the id of a running job and no tokens, would
-- make the real count a repeat: so the service alone may.
create or replace function public.track_ai_processing_usage(
  p_profile_id uuid, p_job_id uuid, p_tokens_used int, p_processing_seconds int default 0)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracking_disabled": true}'::jsonb;
  end if;
  perform mill.count_usage(p_profile_id, 'ai_processing_completed', p_job_id::text,
    mill.ai_counts(coalesce(p_tokens_used, 0), coalesce(p_processing_seconds, 0)), null, p_job_id, p_blocks => false);
  return (
    select jsonb_build_object('ai_tokens_used', s.ai_tokens, 'ai_tokens_limit', s.ai_tokens_limit, 'ai_processing_jobs', s.ai_jobs,
      'over_limit', coalesce(s.ai_tokens > s.ai_tokens_limit, false))
    from mill.usage_summary(p_profile_id) s);
end
$$;

comment on function public.track_ai_processing_usage(uuid, uuid, int, int) is
  'Counts a job''s model calls, once per job: {ai_tokens_used, ai_tokens_limit, ai_processing_jobs, over_limit}; a limit of null is unlimited. {tracking_disabled: true} while nothing is counted.';
revoke execute on function public.track_ai_processing_usage(uuid, uuid, int, int) from public, anon, authenticated;
grant execute on function public.track_ai_processing_usage(uuid, uuid, int, int) to service_role;
