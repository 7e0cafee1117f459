-- Creates and updates queues, kinds and schedules from a definition, as docs/protocol.md has it. All or nothing. A worker may call it at every start: what is as
-- it was asked for is not written. Registrations run one after another: the lock is taken first, before any row.
create or replace function public.register_jobs(p_definition jsonb, p_force boolean default false) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer jsonb := jsonb '{"queues": [], "kinds": [], "kept": []}' || case when p_definition ? 'schedules' then jsonb '{"schedules": []}' else '{}' end;
  v_item record;
  v_done jsonb;
  v_queues text[];
  v_before jsonb;
begin
  perform pg_advisory_xact_lock(7022311640271844); -- any constant that only this uses
  perform mill.check_definition_fields(p_definition, array['queues', 'kinds', 'schedules'], '');
  v_queues := array(
    select p.item ->> 'queue'
    from jsonb_array_elements(coalesce(p_definition -> 'queues', '[]') || coalesce(p_definition -> 'kinds', '[]')) p(item) where jsonb_typeof(p.item) = 'object');
  v_before := (select jsonb_object_agg(q.queue, coalesce(q.function, q.url)) from mill.queue q where q.queue = any (v_queues));
  for v_item in
    select d.part, d.value, format('/%s/%s', d.part, d.ordinality - 1) as place
    from (
      select 1 as turn, 'queues' as part, q.* from jsonb_array_elements(coalesce(p_definition -> 'queues', '[]')) with ordinality q
      union all
      select 2, 'kinds', k.* from jsonb_array_elements(coalesce(p_definition -> 'kinds', '[]')) with ordinality k
      union all
      select 3, 'schedules', s.* from jsonb_array_elements(coalesce(p_definition -> 'schedules', '[]')) with ordinality s) d
    order by d.turn, d.ordinality
  loop
    if v_item.part = 'queues' then
      v_done := mill.register_queue(v_item.value, v_item.place, p_force);
      v_answer := jsonb_insert(v_answer, '{queues,-1}', jsonb_build_object('queue', v_item.value -> 'queue', 'status', v_done -> 'status'), true);
    elsif v_item.part = 'schedules' then
      v_done := mill.register_schedule(v_item.value, v_item.place, p_force);
      v_answer := jsonb_insert(v_answer, '{schedules,-1}', jsonb_build_object('schedule', v_item.value -> 'schedule', 'status', v_done -> 'status'), true);
    else
      if jsonb_typeof(v_item.value) = 'object' and v_item.value ->> 'queue' is not null
        and not exists (select from mill.queue q where q.queue = v_item.value ->> 'queue')
      then
        perform mill.register_queue(jsonb_build_object('queue', v_item.value -> 'queue'), v_item.place, p_force);
        v_answer := jsonb_insert(v_answer, '{queues,-1}', jsonb_build_object('queue', v_item.value -> 'queue', 'status', 'created'), true);
      end if;
      v_done := mill.register_kind(v_item.value, v_item.place, p_force);
      v_answer := jsonb_insert(v_answer, '{kinds,-1}', jsonb_build_object('kind', v_item.value -> 'kind', 'status', v_done -> 'status'), true);
    end if;
    v_answer := jsonb_set(v_answer, '{kept}', v_answer -> 'kept' || (
      select coalesce(jsonb_agg(jsonb_build_object(rtrim(v_item.part, 's'), v_item.value -> rtrim(v_item.part, 's')) || k.value), '[]')
      from jsonb_array_elements(v_done -> 'kept') k));
  end loop;
  v_done := mill.unanswered_functions(v_queues, array(
    select q.queue from mill.queue q where q.queue = any (v_queues) and coalesce(q.function, q.url) is distinct from v_before ->> q.queue));
  return v_answer || case when v_done = '[]' then '{}' else jsonb_build_object('unanswered', v_done) end;
end
$$;

comment on function public.register_jobs(jsonb, boolean) is
  'Creates and updates queues, kinds and schedules from {queues, kinds, schedules}; says what became of each, which options were kept as an operator has changed them, and which functions have never answered.';
revoke execute on function public.register_jobs(jsonb, boolean) from public, anon, authenticated;
grant execute on function public.register_jobs(jsonb, boolean) to service_role;
