create or replace function mill.confirm_workflows(p_keys text[]) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_removed int;
  v_forgotten int;
begin
  delete from public.job_artifacts a
  using unnest(p_keys) as k(key)
  where a.storage_path = substr(k.key, strpos(k.key, ':') + 1)
    and a.bucket = case when strpos(k.key, ':') > 0 then split_part(k.key, ':', 1) else 'gristmill' end;
  get diagnostics v_removed = row_count;
  delete from mill.workflow j
  where j.id in (select split_part(k.key, '/', 2)::uuid from unnest(p_keys) as k(key)) and j.finished_at is not null
    and not exists (select from public.job_artifacts a where a.job_id = j.id);
  get diagnostics v_forgotten = row_count;
  return jsonb_build_object('removed', v_removed, 'forgotten', v_forgotten);
end
$$;

comment on function mill.confirm_workflows(text[]) is 'These objects are gone: forgets their rows, and jobs that have none left.';
revoke execute on function mill.confirm_workflows(text[]) from public;
