-- Standard Webhooks: HMAC-SHA256 over "id.timestamp.body", from the built-in sha256, because pgcrypto's
-- schema differs between Supabase and plain Postgres.
create or replace function mill.set_secret(p_name text, p_key bytea) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key bytea := case when length(p_key) > 64 then sha256(p_key) else p_key end;
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if length(p_key) < 24 then
    raise exception 'a signing key needs at least 24 bytes, this one has %', length(p_key) using errcode = 'GM010';
  end if;
  for v_at in 0 .. length(v_key) - 1 loop
    v_inner := set_byte(v_inner, v_at, get_byte(v_inner, v_at) # get_byte(v_key, v_at));
    v_outer := set_byte(v_outer, v_at, get_byte(v_outer, v_at) # get_byte(v_key, v_at));
  end loop;
  insert into mill.secret (name, inner_pad, outer_pad) values (p_name, v_inner, v_outer)
  on conflict (name) do update
    set inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad, updated_at = now();
end
$$;

comment on function mill.set_secret(text, bytea) is 'Stores the pads of a signing key. Call it with a bound parameter, so that the key is in no log.';
revoke execute on function mill.set_secret(text, bytea) from public;

create or replace function mill.sign(p_name text, p_message bytea) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'v1,' || encode(sha256(s.outer_pad || sha256(s.inner_pad || p_message)), 'base64')
  from mill.secret s where s.name = p_name
$$;

comment on function mill.sign(text, bytea) is 'The Standard Webhooks signature of a message, or null without such a key.';
revoke execute on function mill.sign(text, bytea) from public;
