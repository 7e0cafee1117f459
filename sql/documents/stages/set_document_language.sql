create or replace function mill.language_of_profile(p_profile_id uuid) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((select l.language from mill.document_language l where l.profile_id = p_profile_id), mill.setting('documents.language', 'eng'))
$$;
comment on function mill.language_of_profile(uuid) is 'What the pages of a profile''s documents are read as.';
revoke execute on function mill.language_of_profile(uuid) from public;

create or replace function public.set_document_language(p_profile_id uuid, p_language text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_in_maintenance();
  if not public.is_service_role() and not exists (
    select from public.user_profiles p where p.id = p_profile_id and p.user_id = auth.uid())
    or not exists (select from public.user_profiles p where p.id = p_profile_id)
  then
    raise exception 'there is no such profile' using errcode = 'GM046';
  end if;
  delete from mill.document_language l where l.profile_id = p_profile_id;
  if p_language is not null then
    insert into mill.document_language (profile_id, language) values (p_profile_id, p_language);
  end if;
  perform mill.audit('document_language', p_profile_id::text, 'UPDATE', null, jsonb_build_object('language', p_language), 'the owner''s choice', 'documents', p_profile_id);
exception when check_violation then
  raise exception '% is not a language of tesseract', p_language using errcode = '22023', hint = 'Name tesseract''s languages: eng, deu+eng, script/Cyrillic.';
end
$$;
comment on function public.set_document_language(uuid, text) is
  'The language of a profile''s documents in tesseract''s names, deu or deu+eng; null for the one of the installation. For the profile''s owner.';
revoke execute on function public.set_document_language(uuid, text) from public, anon;
grant execute on function public.set_document_language(uuid, text) to authenticated, service_role;
