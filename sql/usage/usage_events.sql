-- The compatible table, as a view. An id is made of the event's number, so that it needs no column: version 8 of UUIDs is for that. Neither
-- address nor program of a caller is kept: both columns are null.
create or replace view public.usage_events with (security_barrier) as
select ('00000000-0000-8000-8000-' || lpad(to_hex(e.id), 12, '0'))::uuid as id, e.profile_id, e.event_type, e.counts as metrics,
  e.shell_file_id, e.job_id, null::text as user_agent, null::inet as ip_address, e.at as created_at
from mill.usage_event e
where coalesce(auth.jwt() ->> 'role', '') not in ('anon', 'authenticated') or e.profile_id in (select public.accessible_profiles());

comment on view public.usage_events is 'What was counted, one row per event; metrics is what it added.';
revoke all on public.usage_events from public, anon, authenticated, service_role;
grant select on public.usage_events to authenticated, service_role;
