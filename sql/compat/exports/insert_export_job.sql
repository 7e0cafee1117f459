-- The compatible createExportJob inserts {user_id, document_id, format, options, status, progress, attempts, max_attempts}. State is ours: what a new
-- job cannot have is refused.
create or replace function mill.insert_export_job() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owner uuid := case when public.is_service_role() then new.user_id else auth.uid() end;
  v_max_attempts int := (select q.max_attempts from mill.queue q where q.queue = 'exports');
  v_options jsonb := coalesce(new.options, '{}');
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if v_owner is null or v_owner is distinct from coalesce(new.user_id, v_owner) then
    raise exception 'user_id must be the id of the caller' using errcode = '42501';
  elsif coalesce(new.format, 'pdf') <> 'pdf' then
    raise exception 'format must be pdf' using errcode = 'GM004';
  elsif coalesce(new.status, 'pending') <> 'pending' or coalesce(new.progress, 0) <> 0 or coalesce(new.attempts, 0) <> 0
    or coalesce(new.max_attempts, v_max_attempts) <> v_max_attempts
    or num_nonnulls(new.id, new.run_after, new.result_url, new.file_size, new.page_count, new.error_message, new.locked_by, new.started_at,
      new.completed_at, new.created_at) > 0
  then
    raise exception 'a new export takes user_id, document_id, format, options and the status pending; the caller cannot set other columns'
      using errcode = '42501';
  end if;
  if v_options ->> 'quality' = 'normal' then
    v_options := v_options || '{"quality": "standard"}';
  end if;
  v_ids := mill.request_exports(v_owner, array[new.document_id],
    coalesce(v_options ->> 'template', v_options ->> 'templateSlug', 'minimal'), v_options, null);
  select j.* into new from public.export_jobs j where j.id = v_ids[1];
  return new;
end
$$;

comment on function mill.insert_export_job() is 'Asks for an export where a row is inserted into export_jobs.';
revoke execute on function mill.insert_export_job() from public;

drop trigger if exists export_jobs_are_asked_for on public.export_jobs;
create trigger export_jobs_are_asked_for instead of insert on public.export_jobs
  for each row execute function mill.insert_export_job();
