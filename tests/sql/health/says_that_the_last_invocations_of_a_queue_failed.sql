select plan(3);
create function pg_temp.invocations() returns jsonb language sql as $$
  select c from jsonb_array_elements(public.health_report() -> 'checks') c where c ->> 'name' = 'invocations' $$;
create function pg_temp.ended(p_failure text) returns void language sql as $$
  insert into mill.invocation (id, queue, reason, asked_at, begun_at, ended_at, failure)
  values (mill.uuid7(), 'default', 'wake', clock_timestamp(), case when p_failure is null then clock_timestamp() end, clock_timestamp(), p_failure) $$;
select pg_temp.ended(f) from unnest(array[null, 'answered 403', 'answered 403']) f;
select is(pg_temp.invocations() ->> 'ok', 'true', 'two failures in a row may be an accident');
select pg_temp.ended('answered 403');
select is(pg_temp.invocations() #>> '{details,0}', 'the last invocations of queue default failed: answered 403', 'three are a stoppage, with its reason');
select pg_temp.ended(null);
select is(pg_temp.invocations() ->> 'ok', 'true', 'one that ended well clears it');
select * from finish();
