-- Two places know: storage.objects where the store is Supabase's, mill.stored_object where it is our stand-in. What the caller of an upload says about size
-- and type is never taken.
create or replace function mill.stored_objects(p_bucket text) returns table (object text, size bigint, content_type text, stored_at timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_objects regclass := to_regclass('storage.objects');
begin
  if v_objects is null then
    return query select o.object, o.size, o.content_type, o.stored_at from mill.stored_object o where starts_with(o.object, p_bucket || ':');
  else
    return query execute format($q$
      select o.bucket_id || ':' || o.name, (o.metadata ->> 'size')::bigint, coalesce(o.metadata ->> 'mimetype', ''), o.created_at
      from %s o where o.bucket_id = $1 and o.metadata ? 'size' $q$, v_objects) using p_bucket;
  end if;
end
$$;

comment on function mill.stored_objects(text) is 'What lies in a bucket other than gristmill, by the store''s own word.';
revoke execute on function mill.stored_objects(text) from public;

create or replace function mill.size_of_object(p_object text) returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_objects regclass := to_regclass('storage.objects');
  v_size bigint;
begin
  if v_objects is null then
    return (select o.size from mill.stored_object o where o.object = p_object);
  end if;
  execute format($q$ select (o.metadata ->> 'size')::bigint from %s o where o.bucket_id = $1 and o.name = $2 $q$, v_objects)
    into v_size using split_part(p_object, ':', 1), substr(p_object, strpos(p_object, ':') + 1);
  return v_size;
end
$$;

comment on function mill.size_of_object(text) is 'Bytes of an object BUCKET:KEY, by the store''s own word; null when there is none.';
revoke execute on function mill.size_of_object(text) from public;
