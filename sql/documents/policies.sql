-- Users read what hangs on their profiles; all writing goes through the functions, which audit it.
do $$
declare
  v_table text;
begin
  drop policy if exists readable_by_whoever_has_the_profile on public.shell_files;
  create policy readable_by_whoever_has_the_profile on public.shell_files for select to authenticated
    using (patient_id in (select public.accessible_profiles()));
  foreach v_table in array array['pages', 'words', 'blocks', 'entities', 'facts', 'narratives'] loop
    execute format('drop policy if exists readable_with_its_document on public.document_%s', v_table);
    -- shell_files' own policy says which documents there are.
    execute format('create policy readable_with_its_document on public.document_%s for select to authenticated
      using (exists (select from public.shell_files f where f.id = document_id))', v_table);
  end loop;
end
$$;
