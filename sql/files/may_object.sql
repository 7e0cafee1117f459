-- Without a rule that allows it a user reaches nothing: each application opens the places of its own objects.
create or replace function mill.may_object(p_act text, p_key text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := auth.uid();
  v_bucket text := case when strpos(p_key, ':') > 0 then split_part(p_key, ':', 1) else 'gristmill' end;
  v_key text := substr(p_key, strpos(p_key, ':') + 1);
  v_routine text;
  v_verdict boolean;
  v_is_allowed boolean := false;
begin
  if public.is_service_role() then
    return true;
  end if;
  if v_user is null or split_part(v_key, '/', 1) !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return false;
  end if;
  for v_routine in select r.routine from mill.object_rule r where r.act = p_act and r.bucket = v_bucket order by r.routine loop
    execute format('select %s($1, $2)', v_routine) into v_verdict using v_key, v_user;
    if not v_verdict then
      return false;
    end if;
    v_is_allowed := v_is_allowed or coalesce(v_verdict, false);
  end loop;
  return v_is_allowed;
end
$$;

comment on function mill.may_object(text, text) is 'Whether the caller may read, write or remove an object.';
revoke execute on function mill.may_object(text, text) from public;
