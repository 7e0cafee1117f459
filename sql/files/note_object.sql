-- The stand-in says so before the object is there and after it is gone: a row may outlive a crash, an object without a row does not.
create or replace function public.note_object(p_object text, p_size bigint, p_content_type text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_routine text;
  v_verdict boolean;
begin
  for v_routine in
    select r.routine from mill.object_rule r where r.act = 'replace' and r.bucket = split_part(p_object, ':', 1)
      and exists (select from mill.stored_object o where o.object = p_object)
  loop
    execute format('select %s($1, null)', v_routine) into v_verdict using substr(p_object, strpos(p_object, ':') + 1);
    if not v_verdict then
      return false;
    end if;
  end loop;
  insert into mill.stored_object as o (object, size, content_type, stored_at) values (p_object, p_size, p_content_type, mill.now())
  on conflict (object) do update set size = excluded.size, content_type = excluded.content_type, stored_at = excluded.stored_at;
  return true;
end
$$;

comment on function public.note_object(text, bigint, text) is 'An object of another bucket than gristmill is stored: BUCKET:KEY. False when an application refuses to have it replaced. For the storage stand-in.';
revoke execute on function public.note_object(text, bigint, text) from public, anon, authenticated;
grant execute on function public.note_object(text, bigint, text) to service_role;

create or replace function public.forget_object(p_object text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from mill.stored_object o where o.object = p_object;
  return found;
end
$$;

comment on function public.forget_object(text) is 'An object of another bucket than gristmill is gone. For the storage stand-in.';
revoke execute on function public.forget_object(text) from public, anon, authenticated;
grant execute on function public.forget_object(text) to service_role;
