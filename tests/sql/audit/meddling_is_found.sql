select plan(20);
create function pg_temp.fill(p_day text) returns void language plpgsql as $$
begin
  perform set_config('mill.now', p_day, false);
  for n in 1 .. 5 loop perform public.log_audit_event('shell_files', n::text, 'insert', null, jsonb_build_object('n', n), 'r', 'test', gen_random_uuid()); end loop;
end $$;
select pg_temp.fill('2030-01-01 10:00+00'); select pg_temp.fill('2030-01-02 10:00+00'); select pg_temp.fill('2030-01-03 10:00+00');
create function pg_temp.problems() returns text[] language sql as $$
  select array(select distinct f ->> 'problem' from jsonb_array_elements(public.verify_audit_log() -> 'findings') f order by 1) $$;
select is(public.verify_audit_log('2030-01-01') - 'head', '{"ok": true, "days": 3, "rows": 15, "findings": []}', 'an untouched log verifies');
create temp table kept as select public.verify_audit_log() ->> 'head' as head;
select pg_temp.fill('2030-01-03 11:00+00');
select is(public.verify_audit_log(p_known_head => (select head from kept)) ->> 'ok', 'true', 'a head that was kept stays in the chain as it grows');

select throws_ok('update mill.audit_log set reason = null', 'GM024', 'the audit log is append-only', 'no row is updated');
select throws_ok('delete from mill.audit_log', 'GM024', null, 'no row of the audit log is deleted');
select throws_ok('truncate mill.audit_log', 'GM024', null, 'the audit log is not truncated');
set role service_role;
select throws_ok('insert into mill.audit_log (at, table_name, action, source, actor_role) values (now(), ''t'', ''a'', ''s'', ''r'')', '42501', null, 'the service appends only through the function');
select throws_ok('update mill.audit_log set reason = null', '42501', null, 'the service changes no row of the audit log');
reset role;

-- From here on somebody has the keys to the database and switches the triggers off.
set session_replication_role = replica;
create function pg_temp.found(p_meddling text) returns text[] language plpgsql as $$
declare v_found text[];
begin
  execute p_meddling;
  v_found := pg_temp.problems();
  raise exception 'undo' using errcode = 'ZZ999', detail = v_found::text;
exception when sqlstate 'ZZ999' then
  get stacked diagnostics v_found = pg_exception_detail;
  return v_found;
end $$;
create temp table at as select min(id) as first, max(id) as last from mill.audit_log where at > '2030-01-01';
select is(pg_temp.found($$ update mill.audit_log set new_values = '{"n": 99}' where id = (select first from at) + 2 $$), '{altered_or_reordered}', 'an altered row is found');
select is(pg_temp.found($$ update mill.audit_log set at = at + interval '1 microsecond' where id = (select first from at) $$), '{altered_or_reordered}', 'a row whose time alone was altered is found');
select is(pg_temp.found($$ update mill.audit_log set at = at + interval '1 day' where id = (select first from at) $$), '{deleted,not_in_the_chain}', 'a row that was moved to another day is found');
select is(pg_temp.found($$ delete from mill.audit_log where id = (select first from at) + 2 $$), '{deleted}', 'a deleted row is found');
select is(pg_temp.found($$ delete from mill.audit_log where id = (select last from at) $$), '{deleted}', 'the last one too');
select is(pg_temp.found($$ delete from mill.audit_log where id = (select last from at); delete from mill.audit_chain where audit_id = (select last from at) $$), '{end_of_the_day_missing}', 'even with its link');
select is(pg_temp.found($$ update mill.audit_chain set audit_id = -audit_id where day = '2030-01-01' and seq in (2, 3);
  update mill.audit_chain c set audit_id = (select first from at) * 2 + 3 + c.audit_id where c.day = '2030-01-01' and c.seq in (2, 3) $$), '{altered_or_reordered}', 'two rows that changed places are found');
select is(pg_temp.found($$ update mill.audit_log a set table_name = b.table_name, record_id = b.record_id, new_values = b.new_values, patient_id = b.patient_id from mill.audit_log b
  where a.id in ((select first from at) + 1, (select first from at) + 2) and b.id = (select first from at) * 2 + 3 - a.id $$), '{altered_or_reordered}', 'two rows that changed contents are found');
select is(pg_temp.found($$ delete from mill.audit_log where at >= '2030-01-01' and at < '2030-01-02'; delete from mill.audit_chain where day = '2030-01-01'; delete from mill.audit_day where day = '2030-01-01' $$),
  '{day_before_missing,days_missing}', 'a whole day that vanished is found');
select is(pg_temp.found($$ delete from mill.audit_log where at >= '2030-01-03'; delete from mill.audit_chain where day = '2030-01-03'; delete from mill.audit_day where day = '2030-01-03' $$),
  '{days_missing}', 'the last day too');
select is(pg_temp.found($$ insert into mill.audit_log (at, table_name, action, source, actor_role) values ('2030-01-02 12:00+00', 't', 'a', 's', 'r') $$), '{not_in_the_chain}', 'a row that was smuggled in is found');
select is(public.verify_audit_log(p_known_head => repeat('ab', 32)) #>> '{findings,0,problem}', 'known_head_missing', 'a head from another chain is not in this one');
select is(pg_temp.problems(), '{}', 'afterwards all is as it was');
select * from finish();
