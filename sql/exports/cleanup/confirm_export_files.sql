create or replace function mill.confirm_export_files(p_keys text[]) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  -- The history goes with its file.
  with gone as (
    delete from mill.export_file f where f.path = any (p_keys) and f.state = 'removing' returning 1)
  select jsonb_build_object('removed', count(*)) from gone
$$;

comment on function mill.confirm_export_files(text[]) is 'These objects are gone: forgets their rows, and what could be downloaded of them.';
revoke execute on function mill.confirm_export_files(text[]) from public;
