-- The updates that the compat client and worker send, and no others. State changes through the engine: what is written here is what was meant,
-- under the lease that fetch_next_export_job gave out last (docs/compat.md).
--
--   a user         pending -> cancelled
--   the service    progress; completed with a result; failed; pending with run_after, which counts the attempt
--
-- A compat program also gives back all jobs that began over 15 minutes ago. That statement may name jobs of our own worker: it leaves
-- them alone and does the others.
-- Columns that follow from these (completed_at) may be sent along, and are ours to set.

-- Locks the owner, then the job.
create or replace function mill.holder_of_export_job(p_id uuid, p_owner uuid) returns mill.holder
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease mill.compat_lease;
begin
  perform mill.lock_exports(p_owner);
  v_lease := mill.lock_compat_lease(p_id);
  return case when v_lease.id is not null then (p_id, v_lease.worker, v_lease.attempt)::mill.holder end;
end
$$;

comment on function mill.holder_of_export_job(uuid, uuid) is 'Who holds an export that fetch_next_export_job gave out; null for any other.';
revoke execute on function mill.holder_of_export_job(uuid, uuid) from public;

create or replace function mill.cancel_export_job(p_id uuid, p_owner uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.lock_exports(p_owner);
  perform from mill.job_live j where j.id = p_id and j.state <> 'processing' for update;
  if not found then
    raise exception 'only a pending export can be cancelled here; this export is being made, or has ended' using errcode = 'GM053';
  end if;
  perform mill.cancel(array[p_id]);
  perform mill.note_ended_exports(array[p_id]);
end
$$;

comment on function mill.cancel_export_job(uuid, uuid) is 'Cancels an export that waits; GM053 for any other.';
revoke execute on function mill.cancel_export_job(uuid, uuid) from public;

create or replace function mill.update_export_job() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_changes text[] := array(
    select n.key from jsonb_each(to_jsonb(new)) n where n.value is distinct from to_jsonb(old) -> n.key and n.key <> 'completed_at');
  v_status text := case when 'status' = any (v_changes) then new.status else 'progress' end;
  v_may text[] := case when v_status = 'progress' then '{progress}'::text[]
    when v_status = 'completed' then '{status,progress,result_url,file_size,page_count}'
    when v_status = 'failed' then '{status,error_message}'
    when v_status = 'pending' then '{status,error_message,run_after}' else '{}' end;
  v_holder mill.holder;
  v_is_done boolean;
begin
  perform mill.refuse_in_maintenance();
  if v_changes = '{}' and (old.status <> 'processing' or not public.is_service_role()) then
    return old; -- a repeat of what was written already
  elsif v_changes = '{status}' and v_status = 'cancelled' then
    perform mill.cancel_export_job(old.id, old.user_id);
  elsif not public.is_service_role() then
    raise exception 'a user may set the status of an own export to cancelled while it is pending, and nothing else' using errcode = '42501';
  elsif not v_changes <@ v_may then
    raise exception 'export_jobs takes progress, or the status completed, failed or pending with what belongs to it; not a change of %',
      (select string_agg(c.name, ', ') from unnest(v_changes) c(name)) using errcode = 'GM004';
  elsif coalesce(new.progress, 0) not between 0 and 100 then
    raise exception 'progress must be from 0 to 100' using errcode = 'GM004';
  else
    v_holder := mill.holder_of_export_job(old.id, old.user_id);
    if v_holder.job is null and v_status in ('failed', 'pending') and old.started_at < mill.now() - interval '15 minutes' then
      return null;
    elsif v_holder.job is null then
      raise exception 'no lease of fetch_next_export_job holds this export: that lease is over, or another worker has the job' using errcode = 'GM056',
        hint = 'Call fetch_next_export_job again, and write to the job that it answers.';
    end if;
    if v_status = 'progress' then
      v_is_done := mill.heartbeat_by_name(old.id, v_holder.worker, 900);
      if v_is_done then
        perform mill.move_export(v_holder, least(new.progress, 99), null);
      end if;
    elsif v_status = 'completed' then
      v_is_done := mill.complete_export_job(v_holder, new.result_url, new.file_size, new.page_count);
    else
      v_is_done := mill.settle_held(v_holder, jsonb_build_object(
        'outcome', case v_status when 'failed' then 'dead' else 'failed' end,
        'error', jsonb_build_object('type', 'worker', 'message', left(coalesce(new.error_message, 'The export did not succeed.'), 2000)),
        'delay_seconds', case when 'run_after' = any (v_changes) then least(greatest(extract(epoch from new.run_after - mill.now()), 0), 2592000) end));
      perform mill.note_ended_exports(array[old.id]);
    end if;
    if v_status <> 'progress' then
      delete from mill.compat_lease c where c.id = old.id;
    end if;
    if not v_is_done then
      -- The job was asked to cancel. It ends as cancelled now, and nothing else of the update is true: no row was updated.
      perform mill.note_ended_exports(array[old.id]);
      return null;
    end if;
  end if;
  select j.* into new from public.export_jobs j where j.id = old.id;
  return new;
end
$$;

comment on function mill.update_export_job() is 'Does what an update of export_jobs means: cancel, progress, complete, fail, retry.';
revoke execute on function mill.update_export_job() from public;

drop trigger if exists export_jobs_change_by_their_lease on public.export_jobs;
create trigger export_jobs_change_by_their_lease instead of update on public.export_jobs
  for each row execute function mill.update_export_job();
