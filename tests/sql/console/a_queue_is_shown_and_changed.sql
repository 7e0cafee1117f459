select plan(36);
create or replace function mill.wake(p_queue mill.queue, p_reason text default 'wake') returns void language sql as 'select';
create function pg_temp.as_role(p_role text) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', '00000000-0000-4000-8000-00000000000a', 'email', 'ana@example.com', 'gristmill_role', p_role)::text, false) $$;
create function pg_temp.option(p_name text) returns jsonb language sql as $$ select o from jsonb_array_elements(public.console_queue('default') -> 'options') o where o ->> 'name' = p_name $$;
select pg_temp.as_role('admin');

-- The form says the truth about the table.
select is_empty($$ select o.name from mill.queue_options() o where not exists (select from pg_attribute a where a.attrelid = 'mill.queue'::regclass and a.attname = o.name and not a.attisdropped) $$, 'each option is a column');
select is_empty($$ select o.name, o.nullable, a.attnotnull from mill.queue_options() o join pg_attribute a on a.attrelid = 'mill.queue'::regclass and a.attname = o.name where o.nullable = a.attnotnull $$,
  'an option may be empty where its column may');
create function pg_temp.accepts(p_option text, p_value numeric) returns boolean language plpgsql as $$
begin
  -- The cap of the backoff is raised with its base, which it may not be below.
  execute format('update mill.queue set backoff_cap_seconds = greatest(backoff_cap_seconds, %s), %I = %1$s where queue = ''default''', p_value, p_option);
  raise exception using errcode = 'ZZ999';
exception when sqlstate 'ZZ999' then return true; when check_violation or syntax_error or numeric_value_out_of_range or duplicate_column then return false;
end $$;
select is_empty($$ select o.name from mill.queue_options() o where o.type = 'integer' and not (pg_temp.accepts(o.name, o.min) and pg_temp.accepts(o.name, o.max)
  and not pg_temp.accepts(o.name, o.min - 1) and not pg_temp.accepts(o.name, o.max + 1)) $$, 'the bounds of whole numbers are those of the constraints');
select is_empty($$ select o.name, c.choice from mill.queue_options() o cross join unnest(o.choices) c(choice) where not (select pg_get_constraintdef(k.oid) ~ quote_literal(c.choice) from pg_constraint k
  where k.conrelid = 'mill.queue'::regclass and k.conname = 'dequeue_is_by_priority_or_fair') $$, 'choices are those of the constraint');
select is((select string_agg(a.attname, ' ' order by a.attnum) from pg_attribute a where a.attrelid = 'mill.queue'::regclass and a.attnum > 0 and not a.attisdropped
  and a.attname not in (select name from mill.queue_options())), 'queue served_by function paused counts_running created_at part url registered draining', 'whoever adds an option decides whether the console has it');

select is(pg_temp.option('batch_size') - 'sentence', '{"name": "batch_size", "value": 50, "default": 50, "type": "integer", "min": 1, "max": 1000, "choices": null, "nullable": false, "unit": "jobs", "group": "claiming", "needs": "admin", "set_by": "default"}',
  'an option has value, default, type and bounds');
select is(public.console_set_queue('default', '{"batch_size": 80, "max_running": 4}', 'slow bank') -> 'changed', '{"batch_size": [50, 80], "max_running": [null, 4]}', 'options are changed, and old and new values told');
select is((select batch_size || ' ' || max_running from mill.queue where queue = 'default'), '80 4', 'the changes are in the table');
select is((select old_values::text || new_values::text || reason from mill.audit_log where action = 'set_queue'),
  '{"batch_size": 50, "max_running": null}{"email": "ana@example.com", "batch_size": 80, "max_running": 4}slow bank', 'a change is an audit row with old and new values');
select is(public.console_set_queue('default', '{"batch_size": 80}', 'again') -> 'changed', '{}', 'what does not change is no change');
select is((select count(*)::int from mill.audit_log where action = 'set_queue'), 1, 'what does not change is no audit row');
create function pg_temp.refused(p_options jsonb) returns text language plpgsql as $$
declare v_detail text;
begin
  perform public.console_set_queue('default', p_options, 'x');
  return 'accepted';
exception when sqlstate 'GM110' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return sqlerrm || ' @' || (v_detail::jsonb ->> 'option');
end $$;
select is(pg_temp.refused('{"batch_size": 0}'), 'the option batch_size cannot be 0 @batch_size', 'a value out of bounds names its option');
select is(pg_temp.refused('{"batch_size": 1.5}'), 'the option batch_size cannot be 1.5 @batch_size', 'a fraction is no whole number');
select is(pg_temp.refused('{"batch_size": "many"}'), 'the option batch_size cannot be "many" @batch_size', 'a text is no number');
select is(pg_temp.refused('{"batch_size": null}'), 'the option batch_size cannot be null @batch_size', 'an option that is needed cannot be emptied');
select is(pg_temp.refused('{"max_running": null}'), 'accepted', 'an option that may be empty can be emptied');
select is(pg_temp.refused('{"dequeue": "random"}'), 'the option dequeue cannot be "random" @dequeue', 'a choice is one of its choices');
select is(pg_temp.refused('{"paused": true}'), 'a queue has no option "paused" that the console changes @paused', 'paused is no option of a queue');
select is(pg_temp.refused('{"backoff_base_seconds": 9999}'), 'these options do not go together: backoff grows from its base @backoff_base_seconds', 'options that contradict each other say how');
select is(pg_temp.refused('{"provider": "nobody", "endpoint": "x"}'), 'these options do not go together: the limit of a queue exists @endpoint', 'a provider without a limit is refused');
select throws_ok($$ select public.console_set_queue('nope', '{}', 'x') $$, 'GM007', null, 'an unknown queue is refused');
select throws_ok($$ select public.console_queue('nope') $$, 'GM007', null, 'an unknown queue is not shown');

-- Pause and drain.
select pg_temp.as_role('operator');
select is(public.console_pause('default', true, 'deploying'), '{"queue": "default", "paused": true}', 'an operator pauses a queue');
select is((select reason || ' ' || (new_values ->> 'email') || ' ' || source from mill.audit_log where table_name = 'queue' and action = 'pause'), 'deploying ana@example.com console', 'a pause is an audit row with actor and reason');
select is(public.console_pause('default', false, 'deployed') ->> 'paused', 'false', 'an operator resumes a queue');
create temp table before as select e.id from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]') e;
select is(public.console_drain('default', true, 'moving'), '{"queue": "default", "draining": true}', 'an operator drains a queue');
select is((select string_agg(e.status, ' ') from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}, {"kind": "echo", "payload": {"a": 1}, "dedupe_key": "k"}]') e), 'throttled throttled', 'a draining queue takes no new jobs');
select is((select array_agg(u) from unnest(mill.enqueue_many('echo', '[{"a": 1}]')) u), array[null::uuid], 'a draining queue takes no jobs in bulk either');
select is((select count(*)::int from mill.claim('w', array['default'], 10)), 1, 'what waits in a draining queue is worked off');
select is(public.console_drain('default', false, 'moved') ->> 'draining', 'false', 'an operator ends the drain');
select is((select status from mill.enqueue('[{"kind": "echo", "payload": {"a": 1}}]')), 'new', 'after the drain the queue takes jobs again');

-- Fair turns and the provider's limit.
update mill.queue set dequeue = 'fair', provider = 'openai', endpoint = 'gpt-4o-mini' where queue = 'default';
select count(*) from mill.enqueue((select jsonb_agg(jsonb_build_object('kind', 'echo', 'payload', '{"a": 1}'::jsonb, 'group_key', 'g' || n % 2)) from generate_series(1, 10) n));
select count(*) from mill.claim('w', array['default'], 4);
select is((select string_agg(format('%s %s', t ->> 'tenant', (t ->> 'pending')::int + (t ->> 'running')::int), ', ' order by t ->> 'tenant') from jsonb_array_elements(public.console_queue('default') #> '{tenants,rows}') t where t ->> 'tenant' like '%g_'),
  'group g0 5, group g1 5', 'who takes turns is told with what waits and runs');
select is(public.console_queue('default') #> '{limit,measures}' -> 0 ->> 'limit', '500', 'the limit of the provider is told');
select is((select m ->> 'used' from jsonb_array_elements(public.console_queue('default') #> '{limit,measures}') m where m ->> 'name' = 'requests_per_minute'), '4', 'what is used of the limit is told');
select is(public.console_queue('ai') ->> 'part', 'documents', 'a queue of an application names it');
select is(public.console_queue('default') #>> '{breaker,state}', 'closed', 'the breaker of a queue that a function serves is told');
select * from finish();
