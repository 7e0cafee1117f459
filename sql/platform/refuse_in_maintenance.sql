-- Called first by every RPC that writes for a user. Raised in PostgREST's own form, so that a caller gets 503 with
-- Retry-After whether a function stands between or not. Jobs that run go on, and so do reads.
create or replace function mill.refuse_in_maintenance() returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if mill.setting('maintenance.enabled', 'false') = 'true' then
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'GM022', 'message', 'writing is stopped for maintenance',
        'details', json_build_object('reason', mill.setting('maintenance.reason'),
          'retry_after', mill.setting('maintenance.retry_after_seconds', '60')::int)::text, 'hint', 'Try again later; reading goes on.')::text,
      detail = json_build_object('status', 503, 'headers', json_build_object(
        'Retry-After', mill.setting('maintenance.retry_after_seconds', '60')))::text;
  end if;
end
$$;

comment on function mill.refuse_in_maintenance() is 'Refuses with GM022 and 503 while the maintenance flag is set.';
revoke execute on function mill.refuse_in_maintenance() from public;

-- For tables that users write to directly. Whatever the engine or the service writes goes on.
create or replace function mill.refuse_users_in_maintenance() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(auth.jwt() ->> 'role', '') in ('anon', 'authenticated') then
    perform mill.refuse_in_maintenance();
  end if;
  return null;
end
$$;

comment on function mill.refuse_users_in_maintenance() is 'A statement trigger: users'' own writes are refused while the maintenance flag is set.';
revoke execute on function mill.refuse_users_in_maintenance() from public, anon, authenticated;
