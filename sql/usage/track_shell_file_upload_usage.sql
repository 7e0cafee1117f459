create or replace function public.track_shell_file_upload_usage(
  p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages int default 1)
returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.count_usage(p_profile_id, 'shell_file_uploaded', p_shell_file_id::text, jsonb_build_object(
    'files', 1, 'pages', least(greatest(p_estimated_pages, 0), 100000), 'bytes', greatest(p_file_size_bytes, 0)), p_shell_file_id)
$$;

comment on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) is
  'Counts an upload, once a file: {tracked, allowed, over}. allowed is false only past the plan while billing is on, and then nothing was counted.';
revoke execute on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) from public, anon;
grant execute on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) to authenticated, service_role;
