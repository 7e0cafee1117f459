create or replace function mill.file_extension(p_mime_type text) returns text
language sql immutable
return case p_mime_type
  when 'application/pdf' then 'pdf' when 'image/png' then 'png' when 'image/jpeg' then 'jpg' when 'image/tiff' then 'tif'
  when 'image/webp' then 'webp' when 'image/heic' then 'heic' when 'text/plain' then 'txt' end;

comment on function mill.file_extension(text) is 'How the name of a stored file of this type ends; null for a type that is not read here.';
revoke execute on function mill.file_extension(text) from public;

create or replace function mill.max_document_bytes() returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select mill.setting('documents.max_bytes', '52428800')::bigint $$;

comment on function mill.max_document_bytes() is 'The largest file that is processed.';
revoke execute on function mill.max_document_bytes() from public;

-- Supabase keeps a row per object, with its size. Elsewhere, and where files lie in R2, nobody but the worker can say.
create or replace function mill.stored_size(p_place text) returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_objects regclass := to_regclass('storage.objects');
  v_size bigint;
begin
  if v_objects is not null then
    execute format($q$ select (o.metadata ->> 'size')::bigint from %s o where o.bucket_id = 'gristmill' and o.name = $1 $q$, v_objects)
    into v_size using p_place;
  end if;
  return v_size;
end
$$;

comment on function mill.stored_size(text) is 'The size of a stored object where Postgres knows it, otherwise null.';
revoke execute on function mill.stored_size(text) from public;
