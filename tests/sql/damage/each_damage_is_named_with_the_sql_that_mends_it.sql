select plan(32);
select mill.install_schedules(); -- those in this copy of a database are of the template
select is((select array_agg(d.finding) from mill.damage() d), null, 'a fresh installation has no damage');
select cmp_ok((select count(*) from mill.catalog), '>', 2000::bigint, 'what the release has made is on record');

revoke execute on function public.claim_jobs(text, text[], int, text[], uuid, boolean) from service_role;
revoke select on public.documents from authenticated;
grant execute on function public.tick() to anon;
grant usage on schema mill to authenticated;
drop index mill.alert_resolved;
drop index mill.one_open_alert_a_subject;
select cron.unschedule('process-queue-batch');
update cron.job set active = false where jobname = 'cleanup';
update cron.job set schedule = '0 0 1 1 *' where jobname = 'check-stale-data';
drop function mill.settle(text, jsonb);
drop function public.settle_jobs(text, jsonb, uuid);
create or replace function mill.oldest_due(p_queue text) returns timestamptz language sql as 'select now()';
alter table mill.queue disable trigger open_line_on_new_queue;
alter table mill.kind disable trigger all;
drop trigger refuse_to_drop_jobs on mill.queue;
alter table public.quotes disable row level security;
drop policy documents_are_their_owners on public.documents;
alter table mill.alert drop constraint firing_has_fired;
drop view public.job_queue cascade;
alter table mill.event alter detail drop default, alter detail drop not null;
alter table mill.alert_endpoint drop column severities;
create temp table found as select row_number() over () as n, d.finding, d.mend from mill.damage() d;

create function pg_temp.is_found(p_finding text, p_what text) returns text language sql as $$
  select ok(exists (select from found f where f.finding = p_finding), p_what || ': ' || p_finding) $$;
select pg_temp.is_found('grant of execute on function public.claim_jobs(text,text[],integer,text[],uuid,boolean) to service_role is missing', 'a grant on a function');
select pg_temp.is_found('grant of select on table public.documents to authenticated is missing', 'one of the grants on a table');
select pg_temp.is_found('grant of execute on function public.tick() to anon is not the release''s', 'a grant that opens a function to users');
select pg_temp.is_found('grant of usage on schema mill to authenticated is not the release''s', 'a grant that opens the private schema');
select pg_temp.is_found('index mill.alert_resolved is missing', 'an index');
select pg_temp.is_found('index mill.one_open_alert_a_subject is missing', 'a unique index');
select pg_temp.is_found('schedule process-queue-batch is not in cron.job', 'the pump is unscheduled');
select pg_temp.is_found('schedule cleanup is inactive in cron.job', 'a schedule is inactive');
select pg_temp.is_found('schedule check-stale-data is another one in cron.job', 'a schedule was changed');
select pg_temp.is_found('function mill.settle(text,jsonb) is missing', 'a private function');
select pg_temp.is_found('function public.settle_jobs(text,jsonb,uuid) is missing', 'a function that workers call');
select pg_temp.is_found('function mill.oldest_due(text) is not as the release has made it', 'a function that was overwritten');
select pg_temp.is_found('trigger open_line_on_new_queue on mill.queue is disabled', 'a disabled trigger');
select pg_temp.is_found('trigger compile_schema_of_kind on mill.kind is disabled', 'one of all triggers of a table');
select pg_temp.is_found('foreign keys of mill.kind are not checked', 'the triggers of foreign keys');
select pg_temp.is_found('trigger refuse_to_drop_jobs on mill.queue is missing', 'a trigger');
select pg_temp.is_found('row level security of public.quotes is off', 'row level security');
select pg_temp.is_found('policy documents_are_their_owners on public.documents is missing', 'a policy');
select pg_temp.is_found('constraint firing_has_fired on mill.alert is missing', 'a constraint');
select pg_temp.is_found('view public.job_queue is missing', 'a view');
select pg_temp.is_found('column mill.event.detail is not as the release has made it', 'a default');
select pg_temp.is_found('column mill.alert_endpoint.severities is missing', 'a column');
select pg_temp.is_found('constraint severities_are_known on mill.alert_endpoint is missing', 'what went with a column');

-- As someone at a terminal does it, from the top.
do $$
declare
  v_mend text;
begin
  for v_mend in select f.mend from found f order by f.n loop
    execute v_mend;
  end loop;
end $$;
select is((select array_agg(d.finding) from mill.damage() d), null, 'the SQL of all findings, run from the top, leaves no damage');
select ok((select i.indisunique from pg_index i where i.indexrelid = 'mill.one_open_alert_a_subject'::regclass), 'the unique index is unique again');
select ok((select j.active and j.schedule = '* * * * *' from cron.job j where j.jobname = 'process-queue-batch'), 'the pump runs every minute again');
select ok(has_function_privilege('service_role', 'public.settle_jobs(text, jsonb, uuid)', 'execute')
  and not has_function_privilege('authenticated', 'public.settle_jobs(text, jsonb, uuid)', 'execute')
  and not has_function_privilege('service_role', 'mill.settle(text, jsonb)', 'execute'), 'a restored function is open to those to whom it was');

-- A migration writes down what it changes itself, and nothing else.
begin;
  drop index mill.alert_resolved;
  select mill.note_catalog();
  create index alert_of_rule on mill.alert (rule);
  select mill.record_catalog();
commit;
select is((select array_agg(d.finding) from mill.damage() d), array['index mill.alert_resolved is missing'], 'damage from before a migration does not pass for the release');
drop index mill.alert_of_rule;
select is((select count(*)::int from mill.damage() d), 2, 'what the migration has made is on record');

select results_eq(
  $$ select has_function_privilege(r.name, 'mill.damage()', 'execute') from unnest(array['anon', 'authenticated', 'service_role']) r(name) $$,
  array[false, false, false], 'no role of the API may ask');
select * from finish();
