-- Completes what somebody types into the search. Values come from small tables and from the newest 2,000 jobs, never from a whole table.
create or replace function public.console_suggest(p_field text, p_prefix text default '') returns jsonb
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_role text := mill.require_console('viewer');
  v_pattern text := mill.like_pattern(left(coalesce(p_prefix, ''), 100), false, true) || '%';
  v_column text := case p_field when 'name' then 'w.name' when 'group' then 'w.group_key' when 'owner' then 'w.owner::text' when 'correlation' then 'w.correlation_id'
    when 'worker' then 'w.worker' when 'error' then 'w.error ->> ''type''' end;
  v_values jsonb;
begin
  if v_column is not null then
    execute format(
      'select coalesce(jsonb_agg(jsonb_build_object(''value'', s.value, ''note'', s.jobs || '' of the newest'') order by s.jobs desc, s.value), ''[]'')
      from (select %s as value, count(*) as jobs from (%s) w where %1$s ilike $3 group by 1 order by 2 desc, 1 limit 20) s',
      v_column, mill.job_window('{"bounds": {"lowest": "00000000-0000-0000-0000-000000000000", "highest": "ffffffff-ffff-ffff-ffff-ffffffffffff", "ids": null}, "sources": ["live", "dead", "done"]}'))
    into v_values using mill.walk_from(null), 2000, v_pattern;
  else
    select coalesce(jsonb_agg(jsonb_build_object('value', s.value, 'note', s.note) order by s.place, s.value), '[]') into v_values
    from (
      select * from (
        select 0 as place, k.kind as value, 'queue ' || k.queue as note from mill.kind k where p_field = 'kind'
        union all select 0, q.queue, q.description from mill.queue q where p_field = 'queue'
        union all select 0, s.value, s.note from (values ('pending', 'due, and waits for a worker'), ('processing', 'runs'), ('deferred', 'enqueued for later'), ('retrying', 'waits for its next attempt'),
          ('completed', 'done'), ('cancelled', 'cancelled'), ('failed', 'a dead letter'), ('live', 'has not ended'), ('waiting', 'deferred or retrying')) s(value, note) where p_field = 'state'
        union all select 0, s.value, s.note from (values ('15m', 'the last 15 minutes'), ('1h', 'the last hour'), ('24h', 'the last day'), ('7d', 'the last week')) s(value, note) where p_field = 'since'
        union all select s.place, s.value, s.note from (values (1, 'kind:', 'what the job is'), (2, 'queue:', 'where it is served'), (3, 'state:', 'pending, failed, …'), (4, 'error:', 'part of the type or message'),
          (5, 'payload.', 'a field of the payload: payload.user_id=42'), (6, 'owner:', 'the user'), (7, 'group:', 'the group key'), (8, 'since:', 'enqueued after: 2h, 2026-11-18'), (9, 'until:', 'enqueued before'),
          (10, 'id:', 'a UUID, or its beginning with *'), (11, 'name:', 'the name of the job'), (12, 'correlation:', 'the correlation id'), (13, 'worker:', 'who ran it last'), (14, 'parent:', 'what it is a piece of'),
          (15, 'priority:', 'a number, >5, <5'), (16, 'attempt:', 'a number, >1'), (17, 'column:', 'show a field of the payload: column:payload.user_id')) s(place, value, note) where p_field = 'key') v
      where v.value ilike v_pattern
      order by v.place, v.value limit 20) s;
  end if;
  return jsonb_build_object('field', p_field, 'values', v_values);
end
$$;

comment on function public.console_suggest(text, text) is 'Completes a key or a value of the search of jobs: {field, values: [{value, note}]}. For viewers of the console.';
revoke execute on function public.console_suggest(text, text) from public, anon;
grant execute on function public.console_suggest(text, text) to authenticated, service_role;
