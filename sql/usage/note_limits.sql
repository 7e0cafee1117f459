-- Once a meter and day: a caller that keeps knocking does not fill the table.
create or replace function mill.note_limits(p_profile_id uuid, p_meters text[], p_now timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.usage_event (profile_id, at, event_type, counts, once_key)
  select p_profile_id, p_now, 'limit_hit', jsonb_build_object('meter', m), m || ' ' || (p_now at time zone 'UTC')::date
  from unnest(p_meters) m
  on conflict (profile_id, event_type, once_key) where once_key is not null do nothing
$$;

comment on function mill.note_limits(uuid, text[], timestamptz) is 'Writes down which limits a profile has reached.';
revoke execute on function mill.note_limits(uuid, text[], timestamptz) from public;
