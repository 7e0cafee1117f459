-- A file that went through an upload is counted there, by its measured size, so this call counts only what the service says about files of
-- its own. A user may ask, and gets the same answer: a call of a user changes no count.
create or replace function public.track_shell_file_upload_usage(
  p_profile_id uuid, p_shell_file_id uuid, p_file_size_bytes bigint, p_estimated_pages int default 1)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_over text[];
begin
  perform mill.require_profile(p_profile_id);
  if coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated')
    and not exists (select from public.shell_files f where f.id = p_shell_file_id)
  then
    return mill.count_usage(p_profile_id, 'shell_file_uploaded', p_shell_file_id::text, jsonb_build_object(
      'files', 1, 'pages', least(greatest(p_estimated_pages, 0), 100000), 'bytes', greatest(p_file_size_bytes, 0)), p_shell_file_id);
  end if;
  v_over := case when mill.is_enabled('usage_tracking')
    then array(select m.meter from mill.usage_meters(p_profile_id, mill.usage_month(mill.now())) m where m.is_over order by 1) else '{}' end;
  return jsonb_build_object('tracked', false, 'allowed', v_over = '{}' or not mill.is_enabled('billing'), 'over', v_over,
    'upgrade_prompt', v_over <> '{}' and mill.is_enabled('upgrade_prompts'));
end
$$;

comment on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) is
  'Counts a file of the service''s own, once: {tracked, allowed, over, upgrade_prompt}. allowed is false only past the plan while billing is on, and then nothing was counted. A user''s call counts nothing.';
revoke execute on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) from public, anon;
grant execute on function public.track_shell_file_upload_usage(uuid, uuid, bigint, int) to authenticated, service_role;
