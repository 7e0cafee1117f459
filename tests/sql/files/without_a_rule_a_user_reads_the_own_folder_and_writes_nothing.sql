select plan(11);
delete from mill.object_rule; -- those of documents: as where exports or workflows are installed alone
create function pg_temp.as_user(p_sub text) returns void language sql as $$
  select set_config('request.jwt.claims', json_build_object('role', 'authenticated', 'sub', p_sub)::text, false) $$;
select pg_temp.as_user('11111111-1111-4111-8111-111111111111');
set role authenticated;
select ok(public.can_access_object('11111111-1111-4111-8111-111111111111/exports/a/1.pdf'), 'a user reads an object in the own folder');
select ok(public.can_access_object('11111111-1111-4111-8111-111111111111/'), 'a user lists the own folder');
select ok(not public.can_access_object('22222222-2222-4222-8222-222222222222/exports/a/1.pdf'), 'a user does not read an object in the folder of another');
select ok(not public.can_access_object('exports/1.pdf'), 'a key without a folder of a user is closed');
select ok(not public.can_write_object('11111111-1111-4111-8111-111111111111/exports/a/1.pdf'), 'a user stores nothing');
select ok(not public.can_remove_object('11111111-1111-4111-8111-111111111111/exports/a/1.pdf'), 'a user removes nothing');
reset role;
create function mill.allow_all(p_key text, p_user uuid) returns boolean language sql as 'select true';
create function mill.refuse_all(p_key text, p_user uuid) returns boolean language sql as 'select false';
create function mill.no_word(p_key text, p_user uuid) returns boolean language sql as 'select null::boolean';
insert into mill.object_rule (act, routine) values ('write', 'mill.no_word');
select ok(not public.can_write_object('11111111-1111-4111-8111-111111111111/a'), 'a rule without an opinion changes nothing');
insert into mill.object_rule (act, routine) values ('write', 'mill.allow_all');
select ok(public.can_write_object('11111111-1111-4111-8111-111111111111/a'), 'a rule that allows allows');
insert into mill.object_rule (act, routine) values ('write', 'mill.refuse_all');
select ok(not public.can_write_object('11111111-1111-4111-8111-111111111111/a'), 'a rule that refuses wins over one that allows');
select set_config('request.jwt.claims', '{"role": "authenticated"}', false);
select ok(not public.can_access_object('11111111-1111-4111-8111-111111111111/a'), 'a token without a user reads nothing');
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
select ok(public.can_remove_object('11111111-1111-4111-8111-111111111111/a'), 'the service may do everything');
select * from finish();
