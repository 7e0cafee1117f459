-- Users read what hangs on their profiles; all writing goes through the functions, which audit it.
drop policy if exists readable_by_whoever_has_the_profile on public.shell_files;
create policy readable_by_whoever_has_the_profile on public.shell_files for select to authenticated
  using (patient_id in (select public.accessible_profiles()));

-- The policy of shell_files says which documents there are.
drop policy if exists readable_with_its_document on public.document_pages;
create policy readable_with_its_document on public.document_pages for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
drop policy if exists readable_with_its_document on public.document_words;
create policy readable_with_its_document on public.document_words for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
drop policy if exists readable_with_its_document on public.document_blocks;
create policy readable_with_its_document on public.document_blocks for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
drop policy if exists readable_with_its_document on public.document_entities;
create policy readable_with_its_document on public.document_entities for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
drop policy if exists readable_with_its_document on public.document_facts;
create policy readable_with_its_document on public.document_facts for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
drop policy if exists readable_with_its_document on public.document_narratives;
create policy readable_with_its_document on public.document_narratives for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
drop policy if exists readable_with_its_document on public.document_doubts;
create policy readable_with_its_document on public.document_doubts for select to authenticated
  using (exists (select from public.shell_files f where f.id = document_id));
