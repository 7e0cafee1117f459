-- The upload counted an estimate; this puts the real number in its place. Never blocks: the work is done.
create or replace function public.track_shell_file_processed_usage(p_profile_id uuid, p_shell_file_id uuid, p_actual_pages int)
returns jsonb
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select mill.count_usage(p_profile_id, 'shell_file_processed', p_shell_file_id::text, jsonb_build_object('processed', 1,
    'pages', least(greatest(p_actual_pages, 0), 100000) - coalesce((
      select (e.counts ->> 'pages')::int from mill.usage_event e
      where e.profile_id = p_profile_id and e.event_type = 'shell_file_uploaded' and e.once_key = p_shell_file_id::text), 0)),
    p_shell_file_id, p_blocks => false)
$$;

comment on function public.track_shell_file_processed_usage(uuid, uuid, int) is 'Counts a processed file, once, and corrects its pages.';
revoke execute on function public.track_shell_file_processed_usage(uuid, uuid, int) from public, anon, authenticated;
grant execute on function public.track_shell_file_processed_usage(uuid, uuid, int) to service_role;
