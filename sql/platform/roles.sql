-- The four roles that PostgREST and supabase-js expect, and one for applications. Supabase has them; plain Postgres gets them here.
-- None can log in until a deployment gives authenticator a password.
do $$
begin
  if to_regrole('anon') is null then
    create role anon nologin noinherit;
  end if;
  if to_regrole('authenticated') is null then
    create role authenticated nologin noinherit;
  end if;
  if to_regrole('service_role') is null then
    create role service_role nologin noinherit bypassrls;
  end if;
  if to_regrole('authenticator') is null then
    create role authenticator nologin noinherit;
    grant anon, authenticated, service_role to authenticator;
  end if;
end
$$;

-- For applications that enqueue in their own transactions: see docs/transactional-enqueue.md. Not every installing user may create roles;
-- everything else works without it.
do $$
begin
  if to_regrole('gristmill_app') is null then
    create role gristmill_app nologin;
  end if;
exception when insufficient_privilege then
  raise notice 'there is no role gristmill_app, because % may not create roles: have it created with "create role gristmill_app nologin", then run gristmill migrate again', current_user;
end
$$;

-- One user's slow query must not hold a connection for long. These are Supabase's own bounds; PostgREST and
-- our gateway set them in every transaction of the role. A bound that somebody has chosen is left alone, and so
-- is a role that the installing user may not alter: the gateway has the same bounds by default.
do $$
declare
  v_role text;
  v_bound text;
begin
  for v_role, v_bound in
    values ('anon', '3s'), ('authenticated', '8s'), ('service_role', '30s')
  loop
    continue when exists (
      select
      from pg_catalog.pg_db_role_setting s
      cross join lateral unnest(s.setconfig) as entry
      where s.setrole = to_regrole(v_role)
        and entry like 'statement_timeout=%'
    );
    begin
      execute format('alter role %I set statement_timeout = %L', v_role, v_bound);
    exception
      when insufficient_privilege then
        raise notice 'role % keeps having no statement timeout: %', v_role, sqlerrm;
    end;
  end loop;
end
$$;

grant usage on schema public to anon, authenticated, service_role;
revoke create on schema public from public;
