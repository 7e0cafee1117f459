-- Schema net, as the extension pg_net (0.20) has it, for a Postgres without that extension.
--
-- net.http_post and its sisters insert one row into net.http_request_queue and notify. A row is seen,
-- and a notification delivered, only after COMMIT: what is rolled back is never sent. `gristmill relay`
-- listens, sends, and then in ONE statement deletes the row and inserts its answer into
-- net._http_response. So a row that is in the queue has no answer yet, whatever died meanwhile; the next
-- relay sends it again. An answer without its row in the queue is not recorded: two relays that both
-- sent a request (after a takeover) leave one answer.
--
-- Both tables are unlogged as pg_net's are: a crash of Postgres itself empties them. Whoever needs more
-- keeps the truth in a durable table and treats a request as a hint.
--
-- The file is applied at every start of the relay: tables and types only if missing, functions replaced.
-- Parameter names are pg_net's, because callers name them.

create schema if not exists net;
comment on schema net is 'The surface of pg_net, served by gristmill relay';

do $$
begin
  if to_regtype('net.http_method') is null then
    create domain net.http_method as text
      constraint http_method_is_get_post_or_delete check (upper(value) in ('GET', 'POST', 'DELETE'));
  end if;
  if to_regtype('net.request_status') is null then
    create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
  end if;
  if to_regtype('net.http_response') is null then
    create type net.http_response as (status_code integer, headers jsonb, body text);
  end if;
  if to_regtype('net.http_response_result') is null then
    create type net.http_response_result as (
      status net.request_status,
      message text,
      response net.http_response
    );
  end if;
end
$$;

-- Whom a request goes to, as limits and fairness see it: scheme, host and port, without credentials.
-- An index is built on it: whoever changes it reindexes http_request_queue_target_idx.
create or replace function net._target(p_url text) returns text
  language sql immutable parallel safe
return lower(substring(p_url from '^\s*([A-Za-z][A-Za-z0-9+.-]*://)'))
  || lower(substring(p_url from '^\s*[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#]*)'));
comment on function net._target(text) is 'Scheme, host and port of a URL; null when it has none';

-- "create index if not exists" locks its table against writers before it looks, so a second start would
-- wait for every open transaction that has queued a request. Hence the questions.
do $$
begin
  if to_regclass('net.http_request_queue') is null then
    create unlogged table net.http_request_queue (
      id bigserial,
      method net.http_method not null,
      url text not null,
      headers jsonb,
      body bytea,
      timeout_milliseconds integer not null
    );
  end if;
  if to_regclass('net._http_response') is null then
    create unlogged table net._http_response (
      id bigint,
      status_code integer,
      content_type text,
      headers jsonb,
      content text,
      timed_out boolean,
      error_msg text,
      created timestamptz not null default now()
    );
  end if;
  if to_regclass('net._http_response_created_idx') is null then
    create index _http_response_created_idx on net._http_response (created);
  end if;
  -- Beyond pg_net: _http_collect_response and _await_response look answers up by id.
  if to_regclass('net._http_response_id_idx') is null then
    create index _http_response_id_idx on net._http_response (id);
  end if;
  -- The relay deletes an answered request by its id.
  if to_regclass('net.http_request_queue_id_idx') is null then
    create index http_request_queue_id_idx on net.http_request_queue (id);
  end if;
  -- Each target's oldest requests are one index probe away, so a million requests for a stuck target
  -- cost the others nothing. An index, not a column: select * from the queue stays pg_net's.
  if to_regclass('net.http_request_queue_target_idx') is null then
    create index http_request_queue_target_idx
      on net.http_request_queue ((coalesce(net._target(url), '') collate "C"), id);
  end if;
end
$$;

-- Wakes the relay when the calling transaction commits; many calls in one transaction wake it once.
create or replace function net.wake() returns void
  language sql volatile
  set search_path = pg_catalog, pg_temp
as $$ select pg_catalog.pg_notify('gristmill_net', '') $$;

-- True while a relay holds the lock that only the serving one has (see platform/relay/src/leader.rs).
create or replace function net._is_served() returns boolean
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from pg_catalog.pg_locks l
    where l.locktype = 'advisory'
      and l.classid = 1835625580 and l.objid = 1 and l.objsubid = 2
      and l.granted
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
  )
$$;

create or replace function net.check_worker_is_up() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not net._is_served() then
    raise exception using
      message = 'the pg_net background worker is not up',
      detail = 'no gristmill relay serves this database, so requests wait in net.http_request_queue',
      hint = 'start one: gristmill relay --database-url ...';
  end if;
end
$$;
comment on function net.check_worker_is_up() is
  'raises an exception if the pg_net background worker is not up, otherwise it doesn''t return anything';

create or replace function net.wait_until_running() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  while not net._is_served() loop
    perform pg_catalog.pg_sleep(0.05);
  end loop;
end
$$;
comment on function net.wait_until_running() is 'waits until the worker is running';

-- The relay drops its connections and starts over; requests in flight are not repeated.
create or replace function net.worker_restart() returns boolean
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_catalog.pg_notify('gristmill_net', 'restart');
  return true;
end
$$;

-- Percent-encodes everything but RFC 3986's unreserved characters, byte by byte, as curl_escape does.
create or replace function net._urlencode_string(string varchar) returns text
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(string_agg(
    case when piece.byte ~ '^[A-Za-z0-9._~-]$' then piece.byte else piece.escaped end, '' order by piece.at
  ), '')
  from (
    select
      at,
      case when get_byte(raw, at) < 128 then chr(greatest(get_byte(raw, at), 1)) else '' end as byte,
      '%' || upper(lpad(to_hex(get_byte(raw, at)), 2, '0')) as escaped
    from convert_to(string, 'UTF8') as raw, generate_series(0, octet_length(raw) - 1) as at
  ) as piece
$$;

-- Appends parameters that are already encoded; a fragment stays at the end, where curl keeps it.
create or replace function net._encode_url_with_params_array(url text, params_array text[]) returns text
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select case
    when coalesce(array_length(params_array, 1), 0) = 0 then url
    else parts.base
      || case when strpos(parts.base, '?') = 0 then '?' when parts.base ~ '[?&]$' then '' else '&' end
      || array_to_string(params_array, '&')
      || parts.fragment
  end
  from (
    select split_part(url, '#', 1) as base, coalesce(substring(url from '#.*$'), '') as fragment
  ) as parts
$$;

-- What the three public functions share.
create or replace function net._enqueue(
  p_method text, p_url text, p_params jsonb, p_headers jsonb, p_body jsonb, p_timeout_milliseconds integer
) returns bigint
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_params text[];
  v_id bigint;
begin
  select coalesce(array_agg(net._urlencode_string(p.key) || '=' || net._urlencode_string(p.value)), '{}')
  into v_params
  from pg_catalog.jsonb_each_text(p_params) as p;

  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    p_method, net._encode_url_with_params_array(p_url, v_params), p_headers,
    pg_catalog.convert_to(p_body::text, 'UTF8'), p_timeout_milliseconds
  )
  returning http_request_queue.id into v_id;

  perform net.wake();
  return v_id;
end
$$;

create or replace function net.http_get(
  url text,
  params jsonb default '{}'::jsonb,
  headers jsonb default '{}'::jsonb,
  timeout_milliseconds integer default 5000
) returns bigint
  language sql volatile
as $$ select net._enqueue('GET', url, params, headers, null, timeout_milliseconds) $$;

create or replace function net.http_delete(
  url text,
  params jsonb default '{}'::jsonb,
  headers jsonb default '{}'::jsonb,
  timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint
  language sql volatile
as $$ select net._enqueue('DELETE', url, params, headers, body, timeout_milliseconds) $$;

create or replace function net.http_post(
  url text,
  body jsonb default '{}'::jsonb,
  params jsonb default '{}'::jsonb,
  headers jsonb default '{"Content-Type": "application/json"}'::jsonb,
  timeout_milliseconds integer default 5000
) returns bigint
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_content_type text;
begin
  select h.value into v_content_type
  from pg_catalog.jsonb_each_text(coalesce(headers, '{}'::jsonb)) as h
  where pg_catalog.lower(h.key) = 'content-type'
  limit 1;

  if v_content_type <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"';
  end if;

  return net._enqueue(
    'POST', url, params,
    case when v_content_type is null then headers || '{"Content-Type": "application/json"}'::jsonb else headers end,
    body, timeout_milliseconds
  );
end
$$;

-- Polls, because a transaction cannot wait for a notification. Under READ COMMITTED each look is fresh.
create or replace function net._await_response(request_id bigint) returns boolean
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  while not exists (select from net._http_response r where r.id = request_id) loop
    perform pg_catalog.pg_sleep(0.05);
  end loop;
  return true;
end
$$;

create or replace function net._http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_response net._http_response;
begin
  if not async then
    perform net._await_response(request_id);
  end if;

  select r.* into v_response from net._http_response r where r.id = request_id;

  if v_response.id is null or v_response.error_msg is not null then
    return row(
      'ERROR', coalesce(v_response.error_msg, 'request matching request_id not found'), null
    )::net.http_response_result;
  end if;

  return row(
    'SUCCESS', 'ok',
    row(v_response.status_code, v_response.headers, v_response.content)::net.http_response
  )::net.http_response_result;
end
$$;

-- pg_net's own forgets to return; ours returns what it promises.
create or replace function net.http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise notice 'The net.http_collect_response function is deprecated.';
  return net._http_collect_response(request_id, async);
end
$$;

-- Whoever owns the engine may send, because its functions do, and whoever runs the relay, who owns all this. pg_net lets everybody send and read all
-- answers; requests have signatures in their headers, and answers are other tenants'. Grant it to a role of your own where that role shall send.
revoke all on schema net from public;
revoke all on all sequences in schema net from public;
revoke all on all tables in schema net from public;
do $$
declare
  v_owner name := (select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace n where n.nspname = 'mill');
begin
  if v_owner is not null then
    execute format('grant usage on schema net to %I', v_owner);
    execute format('grant all on all sequences in schema net to %I', v_owner);
    execute format('grant all on all tables in schema net to %I', v_owner);
  end if;
end
$$;
