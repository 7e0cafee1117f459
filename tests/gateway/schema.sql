-- What the gateway's tests talk to: two exposed schemas, three roles, and one function for each way
-- of taking arguments, answering or failing. Loaded once into an empty database.

create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit password 'authenticator';
grant anon, authenticated, service_role to authenticator;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';

create schema api;
create schema archive;
grant usage on schema api, archive to anon, authenticated, service_role;
set search_path = api, public;

-- Tables ------------------------------------------------------------------------------------------

create table api.todos (
  id bigint generated always as identity primary key,
  owner uuid,
  title text not null,
  done boolean not null default false,
  tags text[] default '{}',
  meta jsonb default '{}',
  created_at timestamptz default now(),
  prio int check (prio between 0 and 9),
  slug text unique,
  amount numeric(12, 2),
  big bigint
);
alter table api.todos enable row level security;
create policy owners_see_and_change_their_own on api.todos for all to authenticated
  using (owner = (current_setting('request.jwt.claims', true)::jsonb ->> 'sub')::uuid)
  with check (owner = (current_setting('request.jwt.claims', true)::jsonb ->> 'sub')::uuid);
grant select, insert, update, delete on api.todos to authenticated, service_role;
grant select on api.todos to anon;

create table api.items (
  id int primary key,
  todo_id bigint references api.todos (id) on delete cascade,
  txt text
);
grant all on api.items to authenticated, service_role;

-- A composite key, and a default that a payload may leave out.
create table api.memberships (
  team int,
  member int,
  rank text not null default 'novice',
  primary key (team, member)
);
grant all on api.memberships to service_role;

-- One column of two may be read.
create table api.partly_visible (id int primary key, open text, secret text);
insert into api.partly_visible values (1, 'open', 'secret');
grant select (id, open), insert, update (open) on api.partly_visible to authenticated;

create view api.open_todos as select id, title, prio from api.todos where not done;
grant select, insert, update, delete on api.open_todos to service_role;

create table api.numbers (n int primary key, span int4range, words tsvector);
insert into api.numbers
  select n, int4range(n, n + 3), to_tsvector('english', 'the number ' || n) from generate_series(1, 20) n;
grant select on api.numbers to anon, service_role;

create table archive.notes (id int primary key, v text);
insert into archive.notes values (1, 'x');
grant all on archive.notes to anon, service_role;
create function archive.whoami() returns text language sql as $$ select 'archive' $$;
create function archive.session() returns text language sql stable as $$ select current_user || ' ' || current_setting('search_path') $$;
-- Exposed, but not to everybody.
create schema guarded;
grant usage on schema guarded to service_role;
create table guarded.secrets (id int primary key);
grant all on guarded.secrets to anon, authenticated, service_role;
create function guarded.count_secrets() returns bigint language plpgsql as $$ begin return (select count(*) from secrets); end $$;

-- Arguments ---------------------------------------------------------------------------------------

create type api.mood as enum ('sad', 'ok');
create type api.pair as (a int, b text);

create function api.describe(
  p_j jsonb, p_arr text[], p_id uuid, p_ts timestamptz,
  p_i int default 7, p_t text default 'dflt', p_b boolean default null
) returns jsonb language sql stable as $$
  select jsonb_build_object('j', p_j, 'jt', jsonb_typeof(p_j), 'arr', p_arr, 'n', cardinality(p_arr),
    'id', p_id, 'ts', p_ts, 'i', p_i, 't', p_t, 'b', p_b)
$$;
create function api.echo_json(p_j json) returns json language sql as $$ select p_j $$;
create function api.describe_rare(
  p_ia int[], p_ua uuid[], p_n numeric, p_big bigint, p_d date, p_by bytea, p_iv interval, p_ja jsonb[]
) returns jsonb language sql as $$
  select jsonb_build_object('ia', p_ia, 'ua', p_ua, 'n', p_n, 'big', p_big, 'd', p_d, 'by', p_by,
    'iv', p_iv, 'ja', p_ja)
$$;
create function api.is_null_text(p text) returns boolean language sql as $$ select p is null $$;
create function api.is_null_int(p int) returns boolean language sql as $$ select p is null $$;
create function api.is_null_uuid(p uuid) returns boolean language sql as $$ select p is null $$;
create function api.is_null_jsonb(p jsonb) returns boolean language sql as $$ select p is null $$;
create function api.is_null_array(p text[]) returns boolean language sql as $$ select p is null $$;
create function api.is_null_time(p timestamptz) returns boolean language sql as $$ select p is null $$;
create function api.is_null_bool(p boolean) returns boolean language sql as $$ select p is null $$;
create function api.is_null_bytea(p bytea) returns boolean language sql as $$ select p is null $$;
create function api.count_words(variadic p text[]) returns int language sql as $$ select cardinality(p) $$;
create function api.words(p text[]) returns text[] language sql as $$ select p $$;
create function api.overloaded(a int) returns text language sql as $$ select 'int:' || a $$;
create function api.overloaded(a int, b int) returns text language sql as $$ select 'int,int:' || a || ',' || b $$;
create function api.ambiguous(a int) returns text language sql as $$ select 'int' $$;
create function api.ambiguous(a text) returns text language sql as $$ select 'text' $$;
create function api.takes_json(jsonb) returns jsonb language sql as $$ select jsonb_build_object('got', $1) $$;
create function api.takes_text(text) returns text language sql as $$ select 'T:' || $1 $$;
create function api.takes_bytes(bytea) returns text language sql as $$ select encode($1, 'hex') $$;
create function api.takes_mood(m api.mood) returns text language sql as $$ select m::text $$;
create function api.takes_pair(c api.pair) returns jsonb language sql as $$ select to_jsonb(c) $$;
create function api.takes_pairs(c api.pair[]) returns jsonb language sql as $$ select to_jsonb(c) $$;

-- Results -----------------------------------------------------------------------------------------

create function api.one() returns int language sql stable as $$ select 1 $$;
create function api.add(a int, b int) returns int language sql immutable as $$ select a + b $$;
create function api.quoted_text() returns text language sql as $$ select 'hé "q"'::text $$;
create function api.null_text() returns text language sql as $$ select null::text $$;
create function api.yes() returns boolean language sql as $$ select true $$;
create function api.nothing() returns void language plpgsql as $$ begin perform 1; end $$;
create function api.document() returns jsonb language sql as $$
  select '{"z":1,"a":[1,2,{"k":null}],"big":12345678901234567890,"f":1.10}'::jsonb
$$;
create function api.json_array() returns jsonb language sql as $$ select '[1,2]'::jsonb $$;
create function api.sql_null() returns jsonb language sql as $$ select null::jsonb $$;
create function api.json_null() returns jsonb language sql as $$ select 'null'::jsonb $$;
create function api.verbatim() returns json language sql as $$ select '{"z":1,  "a":2}'::json $$;
create function api.rows(n int) returns table (id int, name text, ts timestamptz, j jsonb) language sql as $$
  select g, 'n' || g, '2024-01-02 03:04:05.123456+00'::timestamptz, jsonb_build_object('g', g)
  from generate_series(1, n) g
$$;
create function api.integers(n int) returns setof int language sql as $$ select generate_series(1, n) $$;
create function api.objects(n int) returns setof jsonb language sql as $$
  select jsonb_build_object('g', g) from generate_series(1, n) g
$$;
create function api.all_todos() returns setof api.todos language sql stable as $$ select * from api.todos $$;
create function api.two_out(a int, out x int, out y text) language plpgsql as $$ begin x := a * 2; y := 'y' || a; end $$;
create function api.one_out(a int, out x int) language plpgsql as $$ begin x := a * 2; end $$;
create function api.in_out(inout a int) language plpgsql as $$ begin a := a * 2; end $$;
create function api.partly_null() returns table (a int, b int) language sql as $$ select 1, null::int $$;
create function api.add_note(p text) returns bigint language sql volatile as $$
  insert into archive.notes values ((random() * 1e9)::int, p) returning id::bigint
$$;
create function api.notify_twice() returns int language plpgsql as $$ begin raise notice 'hi'; return 1; end $$;
create procedure api.a_procedure(a int) language plpgsql as $$ begin null; end $$;

-- The request as the database sees it ---------------------------------------------------------------

create function api.whoami() returns jsonb language sql as $$
  select jsonb_build_object(
    'user', current_user, 'session', session_user, 'role', current_setting('role'),
    'claims', nullif(current_setting('request.jwt.claims', true), '')::jsonb,
    'headers', nullif(current_setting('request.headers', true), '')::jsonb,
    'cookies', nullif(current_setting('request.cookies', true), '')::jsonb,
    'method', current_setting('request.method', true), 'path', current_setting('request.path', true),
    'search_path', current_setting('search_path'), 'timeout', current_setting('statement_timeout'),
    'isolation', current_setting('transaction_isolation'), 'read_only', current_setting('transaction_read_only'),
    'left_behind', nullif(current_setting('app.left_behind', true), ''),
    'pid', pg_backend_pid())
$$;
create function api.serializable() returns text language sql
  set default_transaction_isolation = 'serializable' as $$ select current_setting('transaction_isolation') $$;

-- Three ways to leave something in the session.
create function api.leave_setting() returns void language plpgsql as $$
begin perform set_config('app.left_behind', 'canary', false); end $$;
create function api.leave_role() returns void language plpgsql as $$
begin perform set_config('role', 'service_role', false); end $$;
create function api.leave_table() returns void language plpgsql as $$
begin create temporary table if not exists todos as select 'canary'::text as title; end $$;
create function api.leave_lock() returns void language plpgsql as $$
begin perform pg_advisory_lock(42); end $$;
create function api.count_left_tables() returns bigint language sql as $$
  select count(*) from pg_class where relname = 'todos' and relpersistence = 't'
$$;

-- Failures ------------------------------------------------------------------------------------------

create function api.fail(p_code text, p_msg text default 'boom', p_detail text default null, p_hint text default null)
returns void language plpgsql as $$
begin
  raise exception using errcode = p_code, message = p_msg, detail = coalesce(p_detail, ''), hint = coalesce(p_hint, '');
end $$;
create function api.fail_plainly() returns void language plpgsql as $$ begin raise exception 'plain boom'; end $$;
create function api.fail_shaped() returns void language plpgsql as $$
begin
  raise sqlstate 'PGRST' using
    message = '{"code":"123","message":"Payment Required","details":"Quota exceeded","hint":"Upgrade your plan"}',
    detail = '{"status":402,"status_text":"Pay up","headers":{"X-Powered-By":"Nerd Rage"}}';
end $$;
create function api.fail_misshapen() returns void language plpgsql as $$
begin raise sqlstate 'PGRST' using message = 'no json', detail = '{}'; end $$;
create function api.forbidden() returns int language sql as $$ select 1 $$;
create function api.duplicate() returns void language plpgsql as $$ begin insert into archive.notes values (1, 'dup'); end $$;
create function api.divide_by_zero() returns int language plpgsql as $$ begin return 1 / 0; end $$;
create function api.sleep(s float8) returns text language sql as $$ select pg_sleep(s); select 'slept'::text $$;
create function api.sleep_impatiently(s float8) returns text language sql
  set statement_timeout = '300ms' as $$ select pg_sleep(s); select 'slept'::text $$;

-- Answers shaped by the database ----------------------------------------------------------------------

create function api.accepted() returns jsonb language plpgsql as $$
begin
  perform set_config('response.status', '202', true);
  perform set_config('response.headers', '[{"X-Foo":"bar"},{"Set-Cookie":"a=b"},{"Set-Cookie":"c=d"}]', true);
  return '{"ok":true}'::jsonb;
end $$;
create function api.with_status(p text) returns jsonb language plpgsql as $$
begin perform set_config('response.status', p, true); return '{"ok":false}'::jsonb; end $$;
create function api.with_headers(p text) returns jsonb language plpgsql as $$
begin perform set_config('response.headers', p, true); return '{}'::jsonb; end $$;

grant execute on all functions in schema api, archive to anon, authenticated, service_role;
revoke execute on function api.forbidden() from public, anon, authenticated;
