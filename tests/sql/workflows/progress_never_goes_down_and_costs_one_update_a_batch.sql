select plan(12);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
create temp table seen (n int generated always as identity, percent int, phase text, docs int);
create table mill.updates (at timestamptz default clock_timestamp(), xid xid8 default pg_current_xact_id());
create function mill.count_update() returns trigger language plpgsql as $$ begin insert into mill.updates default values; return null; end $$;
create trigger count_update after update on mill.workflow for each row execute function mill.count_update();
create function pg_temp.look() returns void language sql as $$
  insert into seen (percent, phase, docs) select (p #>> '{progress,percent}')::int, p #>> '{progress,phase}', (p #>> '{progress,docs_complete}')::int
  from (select public.workflow_progress(j.id) as p from mill.workflow j) x $$;
create function pg_temp.work(p_kind text, p_max int) returns bigint language sql as $$
  select count(*) from mill.settle('w', (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result',
    jsonb_build_object('path', 'x', 'facts', '{}'::jsonb))), '[]') from mill.claim('w', array['workflows', 'workflow_pages'], p_max, array[p_kind]) c)) $$;
update mill.queue set max_running_per_group = 99 where queue = 'workflow_pages'; -- batches larger than the cap are what is counted here

insert into mill.workflow (type, user_id) values ('nuclear_v2', gen_random_uuid());
delete from mill.updates;
select pg_temp.look();
select results_eq('select percent, phase, docs from seen', $$ values (0, 'queued', 0) $$, 'queued at 0');
select is((select docs_total from mill.workflow), 16, 'a queued job knows that it has sixteen documents');
select is((select count(*) from mill.task), 50::bigint, 'a queued job has fifty tasks');
create temp table held as select * from mill.claim('w', array['workflows'], 1, null);
select pg_temp.look();
select results_eq('select percent, phase from seen order by n desc limit 1', $$ values (5, 'calculating') $$, 'calculating at 5, once it has begun');
select mill.settle('w', jsonb_build_array(jsonb_build_object('id', h.id, 'attempt', h.attempt, 'outcome', 'completed', 'result', '{"facts": {}}'::jsonb))) from held h;
select pg_temp.look();
select results_eq('select percent, phase from seen order by n desc limit 1', $$ values (10, 'text') $$, 'text from 10');
select is(pg_temp.work('text_generation', 7), 7::bigint, 'seven at once');
select is((select count(*) from mill.updates), 2::bigint, 'two batches, two updates of the job');
select pg_temp.look(); select pg_temp.work('pdf_generation', 5); select pg_temp.look(); select pg_temp.work('audio_generation', 3); select pg_temp.look();
select pg_temp.work('text_generation', 9); select pg_temp.look(); select pg_temp.work('pdf_generation', 99); select pg_temp.look();
select pg_temp.work('audio_generation', 99); select pg_temp.look();
select results_eq('select percent, phase, docs from seen order by n desc limit 1', $$ values (95, 'finalizing', 16) $$, 'finalizing from 95');
select pg_temp.work('finalization', 1); select pg_temp.look();
select results_eq('select percent, phase from seen order by n desc limit 1', $$ values (100, 'complete') $$, 'complete at 100');
select is_empty($$ select from seen a join seen b on b.n > a.n and b.percent < a.percent $$, 'percent never went down');
select is((select array_agg(phase order by first) from (select phase, min(n) as first from seen group by phase) p),
  array['queued', 'calculating', 'text', 'pdf', 'audio', 'finalizing', 'complete'], 'through its phases in their order, although documents overtook each other');
select is((select max(n) from (select count(*) as n from mill.updates group by xid) x), 1::bigint, 'never more than one update a batch');
select * from finish();
