select plan(8);
select mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'name', o, 'payload', '{"a": 1}'::jsonb)) from unnest(array['large', 'fits', 'error', 'text']) o));
create temp table held as select * from mill.claim('w', array['default'], 10);
create function pg_temp.settle(p_name text, p_outcome jsonb) returns text language sql as $$
  select s.status from held h cross join lateral mill.settle('w', jsonb_build_array(jsonb_build_object('id', h.id, 'attempt', h.attempt) || p_outcome)) s where h.name = p_name $$;
select throws_ok($$ select pg_temp.settle('large', jsonb_build_object('outcome', 'completed', 'result', repeat('x', 1048576))) $$, 'GM014', null, 'a result of more than 1 MiB is refused');
select is((select state from mill.job where name = 'large'), 'processing', 'its job is still held');
select is(pg_temp.settle('large', '{"outcome": "dead", "error": {"type": "outcome_refused"}}'), 'accepted', 'a job whose result was refused can be settled in another way');
select is(pg_temp.settle('fits', jsonb_build_object('outcome', 'completed', 'result', repeat('x', 1048000))), 'accepted', 'a result of just under 1 MiB is kept');
select pg_temp.settle('error', jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object(
  'type', 'test', 'message', repeat('é', 9000), 'stack', repeat('at ☃', 9000), 'retryable', false, 'http_status', 500, 'dump', repeat('x', 9000))));
select ok((select pg_column_size(error) <= 16384 and octet_length(error ->> 'message') <= 4096 and octet_length(error ->> 'stack') <= 8192 from mill.job where name = 'error'), 'a long error is cut');
select results_eq($$ select state, error ->> 'type', error ->> 'http_status', error ->> 'worker', error ? 'dump', right(error ->> 'message', 2) from mill.job where name = 'error' $$,
  $$ values ('failed', 'test', '500', 'w', false, 'é…') $$, 'what it means is kept, and it is cut between characters');
select pg_temp.settle('text', jsonb_build_object('outcome', 'dead', 'error', to_jsonb(repeat('y', 20000))));
select is((select octet_length(error ->> 'message') from mill.job where name = 'text'), 4096, 'an error that is only a text is cut as well');
select is(mill.cut_text('☃☃☃', 9), '☃☃☃', 'a text that fits is left as it is');
select * from finish();
