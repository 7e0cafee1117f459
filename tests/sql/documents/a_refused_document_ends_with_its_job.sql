select plan(7);
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
select public.finish_document_upload((u ->> 'id')::uuid, u ->> 'place', 3, repeat('a', 64)) from public.begin_document_upload('text/plain') u;
set request.jwt.claims = '{"role": "service_role"}';
create temp table claimed as select * from mill.claim('w1', '{fast}', 1);
select public.begin_document_stage(id, 'w1', attempt) from claimed;
create function pg_temp.refuse(p_worker text) returns boolean language sql as $$
  select public.refuse_document(id, p_worker, attempt, 'infected', '{"type": "infected", "message": "x"}', 'quarantine/x',
    p_outcome => '{"result": {"safe": false}}') from claimed $$;
create function pg_temp.seen() returns text language sql as $$
  select format('%s, %s', f.status, j.state) from public.shell_files f, mill.job j where j.id = (select id from claimed) $$;

select is(pg_temp.refuse('w2'), false, 'a worker that does not hold the job refuses nothing');
select is(pg_temp.seen(), 'processing, processing', 'document and job are as they were');
select is(pg_temp.refuse('w1'), true, 'the holder refuses the document');
select is(pg_temp.seen(), 'infected, completed', 'the document and the job have ended by one call');
select is((select j.result from mill.job_done j), '{"safe": false}', 'the job keeps its result');
create temp table refused as select version from public.shell_files;
select is(pg_temp.refuse('w1'), true, 'the same call again is answered true');
select results_eq('select version from public.shell_files', 'select version from refused', 'a repeated refusal changes nothing');
select * from finish();
