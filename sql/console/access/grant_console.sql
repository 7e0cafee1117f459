-- Where gristmill console holds the service key there is no sub, and the actor that it names stands for the person.
create or replace function mill.console_sub() returns uuid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(auth.uid(), case when public.is_service_role() then md5('console:' || coalesce(mill.console_actor() ->> 'email', ''))::uuid end)
$$;

comment on function mill.console_sub() is 'The id under which the caller of the console is known: the sub of the token, or one made of the actor that comes with the service key.';
revoke execute on function mill.console_sub() from public;

-- Revealing a record opens its file for as long as it takes to look at it. The audit row of the reveal says who, when and why.
create or replace function mill.grant_console(p_record uuid) returns timestamptz
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_sub uuid := mill.console_sub();
  v_until timestamptz := mill.now() + interval '10 minutes';
begin
  delete from mill.console_grant g where g.until < mill.now();
  if v_sub is not null then
    insert into mill.console_grant as g (sub, record, until) values (v_sub, p_record, v_until)
    on conflict (sub, record) do update set until = excluded.until;
  end if;
  return v_until;
end
$$;

comment on function mill.grant_console(uuid) is 'Lets the caller read the file of a record for ten minutes; answers until when.';
revoke execute on function mill.grant_console(uuid) from public;

create or replace function mill.has_console_grant(p_user uuid, p_record uuid) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
begin
  return exists (select from mill.console_grant g where g.sub = p_user and g.record = p_record and g.until > v_now) and mill.console_role() = 'admin';
end
$$;

comment on function mill.has_console_grant(uuid, uuid) is 'Whether a record was revealed to a user within the last ten minutes, and the user is still an admin of the console.';
revoke execute on function mill.has_console_grant(uuid, uuid) from public;
