-- A file that went through an upload is counted there, by its measured size, so this call counts only what the service says about files of
-- its own. A user may ask, and gets the same answer: a call of a user changes no count.
create or replace function public.track_shell_file_upload_usage(
  p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages int default 1)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_refused boolean := false;
begin
  perform mill.require_profile(p_profile_id);
  if not mill.is_enabled('usage_tracking') then
    return '{"tracking_disabled": true}'::jsonb;
  end if;
  if coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated')
    and not exists (select from public.shell_files f where f.id = p_shell_file_id)
  then
    v_is_refused := not (mill.count_usage(p_profile_id, 'shell_file_uploaded', p_shell_file_id::text, jsonb_build_object(
      'files', 1, 'pages', least(greatest(coalesce(p_estimated_pages, 1), 0), 100000),
      'bytes', greatest(coalesce(p_file_size_bytes, 0), 0)), p_shell_file_id) ->> 'allowed')::boolean;
  end if;
  return (
    select jsonb_build_object('shell_files_used', s.files, 'shell_files_limit', s.files_limit, 'pages_used', s.pages, 'pages_limit', s.pages_limit,
      'storage_used_mb', s.storage_mb, 'storage_limit_mb', s.storage_mb_limit, 'over_limit', s.is_over or v_is_refused,
      'upgrade_required', s.upgrade_required or v_is_refused, 'plan_type', s.plan_type)
    from mill.usage_summary(p_profile_id) s);
end
$$;

comment on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) is
  'Counts a file of the service''s own, once, and answers what the profile has used: {shell_files_used, shell_files_limit, pages_used, pages_limit, storage_used_mb, storage_limit_mb, over_limit, upgrade_required, plan_type}. Past the plan while billing is on nothing is counted. A user''s call counts nothing. {tracking_disabled: true} while nothing is counted.';
revoke execute on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) from public, anon;
grant execute on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) to authenticated, service_role;
