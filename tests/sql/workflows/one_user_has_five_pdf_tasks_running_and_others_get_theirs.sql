-- A user whose documents take long to set has five running PDFs over all workers; whoever comes after gets a turn at once.
select plan(6);
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
create function pg_temp.pages_of(p_user uuid) returns bigint language sql as $$
  select count(*) from mill.job_live j where j.kind = 'pdf_generation' and j.state = 'processing' and j.owner = p_user $$;
create function pg_temp.finish_texts() returns bigint language sql as $$
  select count(*) from mill.settle('w', (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'attempt', c.attempt, 'outcome', 'completed', 'result',
    jsonb_build_object('path', 'x', 'facts', '{}'::jsonb))), '[]') from mill.claim('w', array['workflows'], 500, array['calculation', 'text_generation']) c)) $$;

insert into mill.workflow (type, user_id) select 'nuclear_v2', '00000000-0000-0000-0000-00000000000a' from generate_series(1, 2);
select pg_temp.finish_texts();
select is(pg_temp.finish_texts(), 32::bigint, 'the texts of two workflows of one user are written');
create temp table held as select * from mill.claim('one', array['workflow_pages'], 50, null);
select is((select count(*) from held), 5::bigint, 'a claim gets five of the user''s thirty-two PDF tasks');
select is((select count(*) from mill.claim('two', array['workflow_pages'], 50, null)), 0::bigint, 'another worker gets none of them');

insert into mill.workflow (type, user_id) values ('nuclear_v2', '00000000-0000-0000-0000-00000000000b');
select pg_temp.finish_texts();
select pg_temp.finish_texts();
select is((select count(*) from mill.claim('two', array['workflow_pages'], 1, null) c where c.owner = '00000000-0000-0000-0000-00000000000b'),
  1::bigint, 'a PDF task of a second user is claimed at once');
select mill.settle('one', jsonb_build_array(jsonb_build_object('id', h.id, 'attempt', h.attempt, 'outcome', 'dead', 'error', '{"type": "render_time"}'::jsonb)))
from held h limit 1;
select is((select count(*) from mill.claim('one', array['workflow_pages'], 50, null) c where c.owner = '00000000-0000-0000-0000-00000000000b'),
  4::bigint, 'the second user gets the rest of its five');
select ok(pg_temp.pages_of('00000000-0000-0000-0000-00000000000a') <= 5, 'the first user never has more than five running');
select * from finish();
