select plan(13);
set mill.now = '2030-01-15 12:00+00';
insert into public.user_profiles (id, user_id, is_default) values ('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', true);
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
create function pg_temp.upload(p_key text, p_size bigint default 1) returns jsonb language plpgsql as $$
declare u jsonb := public.begin_document_upload('text/plain', 'a.txt', p_key);
begin
  return case when u ? 'over' then u else public.finish_document_upload((u ->> 'id')::uuid, u ->> 'place', p_size, repeat('a', 64)) end;
end $$;
create function pg_temp.meter(p_meter text) returns numeric language sql as $$
  select (public.get_user_usage_status('33333333-3333-4333-8333-333333333333') #>> array['meters', p_meter, 'used'])::numeric $$;

select is((select count(*)::int from generate_series(1, 11) g where pg_temp.upload('k' || g) ->> 'is_new' = 'true'), 11, 'without billing the eleventh file of ten is taken');
update mill.settings set value = 'true' where key = 'features.billing_enabled';
select is(pg_temp.upload('k12'), '{"over": ["files"]}', 'with billing an upload past the plan is refused before it is sent');
select is((select count(*)::int from public.shell_files), 11, 'an upload that the plan refuses before it is sent leaves no row');
select is((select count(*)::int from mill.document_upload), 0, 'an upload that the plan refuses before it is sent leaves no ticket');
select is((select count(*)::int from public.usage_events where event_type = 'limit_hit' and metrics ->> 'meter' = 'files'), 1, 'an upload that the plan refuses before it is sent is on record');
select is(pg_temp.upload('k11') ->> 'is_new', 'false', 'a retry of one that was taken still gets its answer');

select set_config('request.jwt.claims', '{"role": "service_role"}', false);
select public.change_plan('33333333-3333-4333-8333-333333333333', 'basic');
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}', false);
select is(pg_temp.upload('k12') ->> 'is_new', 'true', 'a larger plan lets it in');
update public.subscription_plans set storage_limit_mb = 40 where plan_type = 'basic';
select is(pg_temp.upload('large', 50000000) -> 'over', '["storage_mb"]', 'one that is too large for the plan is refused when its size is known');
select is((select count(*)::int from public.shell_files where idempotency_key like '%:large'), 0, 'an upload that is refused for its size leaves no row');
select is(pg_temp.meter('files'), 12::numeric, 'an upload that is refused for its size was not counted');
select is((select count(*)::int from mill.job where kind = 'fast_queue_security'), 12, 'an upload that is refused for its size was not enqueued');

create temp table away as select public.begin_document_upload('text/plain', 'a.txt', 'away') as u;
update public.subscription_plans set shell_files_limit = 12 where plan_type = 'basic';
select set_config('request.jwt.claims', '{"role": "service_role"}', false);
select is((select public.recover_upload(u ->> 'place', 5) from away), 'registered', 'what was accepted while Postgres was away is never taken back');
select is(pg_temp.meter('files'), 13::numeric, 'what was accepted while Postgres was away is counted');
select * from finish();
