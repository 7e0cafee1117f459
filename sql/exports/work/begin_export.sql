create or replace function public.begin_export(p_job uuid, p_worker text, p_attempt int) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if mill.move_export((p_job, p_worker, p_attempt)::mill.holder, 25, 'fetching') is null then
    return null;
  end if;
  return (
    select jsonb_build_object('title', e.title, 'template', e.template, 'options', e.options, 'data', e.source, 'created_at', e.created_at)
    from mill.export e where e.id = p_job);
end
$$;

comment on function public.begin_export(uuid, text, int) is 'What a worker is to set, or null when it holds the export no more.';
revoke execute on function public.begin_export(uuid, text, int) from public, anon, authenticated;
grant execute on function public.begin_export(uuid, text, int) to service_role;
