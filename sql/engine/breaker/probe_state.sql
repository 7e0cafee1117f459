create or replace function mill.probe_state(p_probe uuid) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when i.failure is not null then 'lost'
    when i.ended_at is not null then 'ended'
    when i.begun_at is null and i.asked_at < mill.now() - interval '30 seconds' then 'lost'
    when i.begun_at < mill.now() - make_interval(secs => q.invocation_seconds) then 'lost'
    else 'under way'
  end
  from mill.invocation i join mill.queue q using (queue)
  where i.id = p_probe
$$;

comment on function mill.probe_state(uuid) is 'What became of a breaker''s probe: under way, ended or lost; null without one.';
revoke execute on function mill.probe_state(uuid) from public;
