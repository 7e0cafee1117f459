-- What is new about a job since the event p_after. Progress is a state, not a history: who was away gets where it is
-- now, and its end in any case.
create or replace function public.workflow_events(p_id uuid, p_after bigint) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Null for an unknown job and for another's alike.
  select jsonb_build_object(
    'events', case when (p.state ->> 'revision')::bigint > p_after then jsonb_build_array(jsonb_build_object(
      'id', p.state -> 'revision',
      'event', case when p.state ->> 'status' in ('completed', 'failed', 'cancelled') then p.state ->> 'status' else 'progress' end,
      'data', p.state)) else '[]' end,
    'ended', p.state ->> 'status' in ('completed', 'failed', 'cancelled'))
  from mill.workflow j cross join lateral (select mill.shown_progress(j) as state) p
  where j.id = p_id and (public.is_service_role() or j.user_id = auth.uid())
$$;

comment on function public.workflow_events(uuid, bigint) is 'Events of one job of the caller''s (any, for the service) after a given one, or null.';
revoke execute on function public.workflow_events(uuid, bigint) from public, anon;
grant execute on function public.workflow_events(uuid, bigint) to authenticated, service_role;
