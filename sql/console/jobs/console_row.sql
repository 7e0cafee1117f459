-- One job as lists show it.
create or replace function mill.console_row(p_job jsonb, p_columns jsonb default '[]', p_role text default 'viewer') returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select p_job - 'payload' - 'error' - 'parent' || jsonb_build_object(
    'duration_ms', round(extract(epoch from (p_job ->> 'finished_at')::timestamptz - (p_job ->> 'started_at')::timestamptz) * 1000),
    'error', case when jsonb_typeof(p_job -> 'error') = 'object' then jsonb_build_object('type', left(p_job #>> '{error,type}', 100), 'message', mill.cut_text(p_job #>> '{error,message}', 300)) end,
    'payload_columns', case when p_columns = '[]' then '{}' else (
      select coalesce(jsonb_object_agg(c.path, case when p_role = 'admin' or not mill.is_sensitive(p_job ->> 'kind')
        then mill.cut_text(p_job -> 'payload' #>> c.fields, 200) end), '{}')
      from (select array(select jsonb_array_elements_text(e)) as fields, (select string_agg(f, '.') from jsonb_array_elements_text(e) f) as path from jsonb_array_elements(p_columns) e) c) end)
$$;

comment on function mill.console_row(jsonb, jsonb, text) is 'One job as the console lists it.';
revoke execute on function mill.console_row(jsonb, jsonb, text) from public;

-- The millisecond in a time-ordered id; null for an id that is none.
create or replace function mill.time_of_id(p_id uuid) returns timestamptz
language sql immutable
return case when substr(p_id::text, 15, 1) = '7' then to_timestamp(('x' || lpad(replace(left(p_id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0) end;

comment on function mill.time_of_id(uuid) is 'When a time-ordered id was made, or null.';
revoke execute on function mill.time_of_id(uuid) from public;
