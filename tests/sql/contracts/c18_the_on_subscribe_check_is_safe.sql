-- include: rules/*.sql
select plan(10);
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
  delete from public.active_subscriptions_v2;
  perform pg_temp.as_user($c$ public.check_and_queue_stale_batch('AAA', array['quote'], 5) $c$);
  if exists (select from mill.job_live) then
    return false; -- who does not watch it, does not ask for it
  end if;
  insert into public.active_subscriptions_v2 (user_id, symbol, data_type, last_seen_at)
  values ('11111111-1111-4111-8111-111111111111', 'AAA', 'quote', mill.now()), (gen_random_uuid(), 'AAA', 'quote', mill.now()),
    (gen_random_uuid(), 'AAA', 'profile', mill.now()), ('11111111-1111-4111-8111-111111111111', 'BBB', 'quote', mill.now() - interval '6 minutes');
  v_queued := pg_temp.as_user($c$ public.check_and_queue_stale_batch('AAA', array['quote', 'profile', 'nothing', 'x"; drop table quotes'], 100) $c$);
  perform pg_temp.as_user($c$ public.check_and_queue_stale_batch('BBB', array['quote'], 5) $c$);
  return v_queued = ''
    and (select count(*) = 1 and max(priority) = 2 and max(kind) = 'refresh.quote' from mill.job_live)
    and pg_temp.as_user($c$ public.check_and_queue_stale_batch('EVIL', array['quote'], 5) $c$) = ''
    and (select count(*) = 1 from mill.job_live);
end $$;
select ok(pg_temp.holds(), 'K43: a user queues what the user watches now and nothing else, shadows unseen, and the number of viewers bounds the priority');
select is(pg_temp.as_user('public.queue_refresh_if_not_exists(''AAA'', ''quote'', 5, 1)'), '42501', 'what it calls inside is not a user''s to call');
select is(pg_temp.as_user('public.upsert_active_subscription_v2(null, ''NONE'', ''quote'')'), 'GM036', 'nobody subscribes to what is not supported');
select is(pg_temp.as_user('public.upsert_active_subscription_v2(''22222222-2222-4222-8222-222222222222'', ''AAA'', ''quote'')'), '42501', 'nobody subscribes for another user');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'SECURITY DEFINER', '');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'greatest(0, least(coalesce(p_priority, 5), mill.viewers(p_symbol, w.data_type)))', 'p_priority');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'a.user_id = auth.uid()', 'true');
select pg_temp.caught('pg_temp.holds()', 'public.check_and_queue_stale_batch', 'and a.last_seen_at > mill.now() - interval ''5 minutes''', '');
select pg_temp.clear();
insert into public.active_subscriptions_v2 (user_id, symbol, data_type, last_seen_at) values ('11111111-1111-4111-8111-111111111111', 'AAA', 'earnings', mill.now());
select pg_temp.as_user($c$ public.check_and_queue_stale_batch('AAA', array['quote'], 5) $c$);
select is((select array_agg(kind) from mill.job_live), array['refresh.quote'], 'of what the user watches only what was asked for is queued');
select ok((select prosecdef and proconfig @> array['search_path=pg_catalog, pg_temp'] from pg_proc where oid = 'public.check_and_queue_stale_batch'::regproc), 'its path is pinned');
select * from finish();
