-- The documented createExportJob inserts {user_id, document_id, format, options, status, progress, attempts, max_attempts}:
-- what it says about state is not taken from it.
create or replace function mill.insert_export_job() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owner uuid := case when public.is_service_role() then new.user_id else auth.uid() end;
  v_ids uuid[];
begin
  perform mill.refuse_in_maintenance();
  if v_owner is null or v_owner is distinct from coalesce(new.user_id, v_owner) then
    raise exception 'an export is asked for in one''s own name' using errcode = '42501';
  end if;
  if coalesce(new.format, 'pdf') <> 'pdf' then
    raise exception 'format must be pdf' using errcode = 'GM004';
  end if;
  v_ids := mill.request_exports(v_owner, array[new.document_id],
    coalesce(new.options ->> 'template', new.options ->> 'templateSlug', 'minimal'), coalesce(new.options, '{}'), null);
  select j.* into new from public.export_jobs j where j.id = v_ids[1];
  return new;
end
$$;

comment on function mill.insert_export_job() is 'Asks for an export where a row is inserted into export_jobs.';
revoke execute on function mill.insert_export_job() from public;

drop trigger if exists export_jobs_are_asked_for on public.export_jobs;
create trigger export_jobs_are_asked_for instead of insert on public.export_jobs
  for each row execute function mill.insert_export_job();
