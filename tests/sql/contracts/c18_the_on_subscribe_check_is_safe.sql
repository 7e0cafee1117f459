-- include: rules/*.sql
select plan(8);
create temp table supported_symbols (symbol text, is_active boolean);
insert into pg_temp.supported_symbols values ('EVIL', true);
grant all on pg_temp.supported_symbols to public;
create function pg_temp.as_user(p_call text) returns text language plpgsql as $$
declare
  v_answer text;
begin
  perform set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', true);
  set local role authenticated;
  execute 'select ' || p_call into v_answer;
  reset role;
  return v_answer;
exception when others then
  return sqlstate;
end $$;
create function pg_temp.holds() returns boolean language plpgsql as $$
declare
  v_queued text;
begin
  perform pg_temp.clear();
  v_queued := pg_temp.as_user($c$ public.check_and_queue_stale_batch('AAA', array['quote', 'nothing', 'x"; drop table quotes'], 100) $c$);
  return v_queued = '1'
    and (select count(*) = 1 and max(priority) = 10 from mill.job_live)
    and pg_temp.as_user($c$ public.check_and_queue_stale_batch('EVIL', array['quote'], 5) $c$) = '0';
end $$;
select ok(pg_temp.holds(), 'a user may call it; unknown symbols and types are left out, shadows unseen, the priority bounded');
select is(pg_temp.as_user('public.queue_refresh_if_not_exists(''AAA'', ''quote'', 5, 1)'), '42501', 'what it calls inside is not a user''s to call');
select is(pg_temp.as_user('public.upsert_active_subscription_v2(''NONE'', ''quote'')'), 'GM036', 'nobody subscribes to what is not supported');
select is(pg_temp.as_user('public.upsert_active_subscription_v2(''AAA'', ''quote'', ''22222222-2222-4222-8222-222222222222'')'), '42501', 'nor for another');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'SECURITY DEFINER', '');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'greatest(0, least(p_priority, 10))', 'p_priority');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'public.supported_symbols', 'pg_temp.supported_symbols');
select ok((select prosecdef and proconfig @> array['search_path=pg_catalog, pg_temp'] from pg_proc where oid = 'public.check_and_queue_stale_batch'::regproc), 'its path is pinned');
select * from finish();
