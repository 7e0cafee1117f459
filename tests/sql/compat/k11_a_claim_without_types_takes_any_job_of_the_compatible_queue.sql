select plan(14);
set mill.now = '2030-01-01 00:00+00';
insert into mill.kind (kind, queue) values ('own.kind', 'standard');
insert into public.supported_symbols (symbol) values ('AAA');
set role service_role;
select is_empty($$ select * from public.claim_next_job_v3('w') $$, 'K11: a claim without types finds nothing in an empty queue');
select public.queue_refresh_if_not_exists('AAA', 'quote', 100, 10);
reset role;
select mill.enqueue('[{"kind": "alert_webhook", "payload": {"a": 1}, "priority": 99}, {"kind": "export_pdf", "payload": {"a": 1}, "priority": 99}]');
set role service_role;
create temp table made as select t.type, public.enqueue_job_v3(t.type, 'x', '{"a": 1}', priority => t.n::int, scheduled_at => '2029-01-01') as id
  from unnest(array['ai_queue_pass1', 'report_generation', 'own.kind', 'fast_queue_ocr', 'consent_verification']) with ordinality t(type, n);
create temp table claimed as select c.* from generate_series(1, 20) g cross join lateral public.claim_next_job_v3(case when g > 0 then 'w' end) c;
select bag_eq('select job_id, job_type from claimed', 'select id, type from made', 'K11: a claim without types takes the compatible types and the operator''s own, each once');
select is((select count(*)::int from public.job_queue where status = 'pending' and job_type in ('refresh.quote', 'alert_webhook', 'export_pdf')), 3,
  'K11: a claim without types leaves what other compat claims and our own functions serve');
select is_empty($$ select * from public.claim_next_job_v3('w', array[]::text[]) $$, 'K11: a claim with an empty list of types takes nothing');
select throws_ok($$ select * from public.claim_next_job_v3('') $$, 'GM004', null, 'K11: a worker without a name is refused');

-- K15
create temp table one as select id from made where type = 'report_generation';
create function pg_temp.times(p_id uuid) returns text language sql as $$
  select extract(epoch from heartbeat_at - current_setting('mill.now')::timestamptz)::int || ' ' || extract(epoch from lease_expires_at - heartbeat_at)::int from public.job_queue where id = p_id $$;
select is(pg_temp.times(id), '30 300', 'K15: at a claim heartbeat_at is worker.heartbeat_interval_seconds ahead, and the lease ends worker.timeout_seconds after it') from one;
set mill.now = '2030-01-01 00:01+00';
select is(public.update_job_heartbeat(id, 'w', 120), true, 'a heartbeat with an interval of its own is taken') from one;
select is(pg_temp.times(id), '120 300', 'K12: a heartbeat may say when the next one comes') from one;
select is((select updated_at from public.job_queue where id = one.id), '2030-01-01 00:01+00'::timestamptz, 'K17: a heartbeat is a change of the row') from one;
select public.update_job_heartbeat(p_job_id => id, p_worker_id => 'w') from one;
select is(pg_temp.times(id), '30 390', 'K15: a heartbeat without an interval takes the setting, and does not shorten the lease') from one;
select is(public.update_job_heartbeat(id, 'another'), false, 'K12: a heartbeat of another worker is refused') from one;

insert into public.system_configuration (config_key, config_value, config_type) values ('worker.timeout_seconds', '7', 'system'), ('worker.heartbeat_interval_seconds', '2', 'number')
on conflict (config_key) do update set config_value = excluded.config_value, config_type = excluded.config_type;
create temp table short as select public.enqueue_job_v3('report_generation', 'short', '{"a": 1}') as id;
select public.claim_next_job_v3('w', array['report_generation']);
select is(pg_temp.times(id), '2 7', 'K15: both settings take effect through system_configuration') from short;
select results_eq($$ select config_type, updated_at from public.system_configuration where config_key = 'worker.timeout_seconds' $$,
  $$ values ('system', '2030-01-01 00:01+00'::timestamptz) $$, 'K15: a setting may be of type system, and says when it was changed');
select lives_ok($$ insert into public.system_configuration (config_key, config_value, config_type, description, is_sensitive) values ('features.x', 'true', 'boolean', 'a flag', true) $$,
  'K15: a setting may be of type boolean');
select * from finish();
