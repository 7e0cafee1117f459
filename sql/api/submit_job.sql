-- For signed-in users and the service. A user submits kinds that are open to users, always as its own; the
-- service may name an owner. A kind that is closed looks like one that does not exist.
--
-- What a user may cause is bounded (docs/limits.md): so many jobs per minute, so many live jobs in a queue, and no priority above the usual one.
-- A user's keys and groups lie in the user's own name space: nobody can probe, block or use up another's.
create or replace function public.submit_job(
  p_kind text,
  p_payload jsonb,
  p_name text default null,
  p_priority int default null,
  p_run_at timestamptz default null,
  p_dedupe_key text default null,
  p_group_key text default null,
  p_owner uuid default null,
  p_correlation_id text default null,
  p_traceparent text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owner uuid := case when public.is_service_role() then p_owner else auth.uid() end;
  v_job record;
begin
  perform mill.refuse_in_maintenance();
  if not public.is_service_role() then
    if v_owner is null then
      raise exception 'sign in to submit a job' using errcode = '42501';
    end if;
    if not exists (select from mill.kind k where k.kind = p_kind and k.open_to_users) then
      raise exception 'unknown job kind "%"', left(p_kind, 64) using errcode = 'GM001';
    end if;
    perform mill.refuse_excess(v_owner, 'jobs');
    perform mill.refuse_depth(v_owner, p_kind);
  end if;

  select e.id, e.status into v_job
  from mill.enqueue(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
    'kind', p_kind, 'name', p_name, 'priority', case when public.is_service_role() then p_priority else least(p_priority, 5) end,
    'run_at', p_run_at, 'correlation_id', p_correlation_id, 'traceparent', p_traceparent,
    'group_key', case when public.is_service_role() then '' else v_owner || ':' end || p_group_key,
    'dedupe_key', case when public.is_service_role() then '' else v_owner || ':' end || p_dedupe_key,
    'unique_scope', case when not public.is_service_role() then v_owner end,
    'owner', v_owner)) || jsonb_build_object('payload', p_payload))) e;
  if v_job.status = 'throttled' then
    raise exception 'the queue of "%" is full', p_kind using errcode = 'GM006', hint = 'Try again later.';
  end if;
  return jsonb_build_object('id', v_job.id, 'status', v_job.status);
end
$$;

comment on function public.submit_job(text, jsonb, text, int, timestamptz, text, text, uuid, text, text) is
  'Enqueues one job for the caller; answers {id, status} with status new or duplicate.';
revoke execute on function public.submit_job(text, jsonb, text, int, timestamptz, text, text, uuid, text, text) from public, anon;
grant execute on function public.submit_job(text, jsonb, text, int, timestamptz, text, text, uuid, text, text) to authenticated, service_role;
