-- Files in medical-docs that no document names: stored and never registered, stored twice by a client that was cut off, or left by a worker that
-- died after it had copied one. Nothing says whether their owner still means to register them, so they are given a day.
--
-- What lay there before this part was installed is left alone, whosever it is. A file that is registered just while it is being removed fails
-- its document with the reason "missing", and can be uploaded again.
create or replace function mill.cleanup_uploads(p_max int default 200) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := mill.now() - make_interval(secs => mill.setting('documents.unclaimed_object_seconds', '86400')::double precision);
  v_since timestamptz := (select p.installed_at from mill.part p where p.part = 'compat/documents');
  v_objects text[] := array(
    select o.object from mill.stored_objects('medical-docs') o
    where o.stored_at < v_before and o.stored_at >= v_since
      and mill.is_swept_place(mill.key_within('medical-docs', o.object))
      and not exists (select from public.shell_files f where f.storage_path = mill.key_within('medical-docs', o.object) and f.bucket = 'medical-docs')
      and not exists (select from mill.document_upload u where u.place = o.object)
    order by o.stored_at limit p_max);
begin
  return jsonb_build_object('remove', to_jsonb(v_objects), 'more', cardinality(v_objects) = p_max);
end
$$;
comment on function mill.cleanup_uploads(int) is 'Names the files in medical-docs that no document names, so that they are removed.';
revoke execute on function mill.cleanup_uploads(int) from public;

-- The store forgets its objects itself.
create or replace function mill.confirm_uploads(p_objects text[]) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$ select jsonb_build_object('removed', cardinality(p_objects)) $$;
comment on function mill.confirm_uploads(text[]) is 'These files are gone from medical-docs.';
revoke execute on function mill.confirm_uploads(text[]) from public;
