-- The first bytes of a text, whole characters only. A character has at most four bytes, and all but its first begin with the bits 10.
create or replace function mill.cut_text(p_text text, p_bytes int) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bytes bytea;
  v_end int := p_bytes - 3; -- room for the mark
begin
  if octet_length(p_text) <= p_bytes then
    return p_text;
  end if;
  v_bytes := convert_to(p_text, 'UTF8');
  while get_byte(v_bytes, v_end) & 192 = 128 loop
    v_end := v_end - 1;
  end loop;
  return convert_from(substring(v_bytes from 1 for v_end), 'UTF8') || '…';
end
$$;

comment on function mill.cut_text(text, int) is 'A text of at most so many bytes; one that was cut ends with an ellipsis.';
revoke execute on function mill.cut_text(text, int) from public;

-- Keeps the fields that docs/protocol.md names, the long ones cut.
create or replace function mill.cut_error(p_error jsonb) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case when jsonb_typeof(p_error) <> 'object' then jsonb_build_object('message', mill.cut_text(p_error #>> '{}', 4096))
  else jsonb_strip_nulls(jsonb_build_object(
    'type', mill.cut_text(p_error ->> 'type', 200), 'message', mill.cut_text(p_error ->> 'message', 4096),
    'stack', mill.cut_text(p_error ->> 'stack', 8192), 'provider', mill.cut_text(p_error ->> 'provider', 200),
    'http_status', case when jsonb_typeof(p_error -> 'http_status') = 'number' then p_error -> 'http_status' end,
    'retryable', case when jsonb_typeof(p_error -> 'retryable') = 'boolean' then p_error -> 'retryable' end)) end
$$;

comment on function mill.cut_error(jsonb) is 'An error of more than 16 KiB with its message and its stack cut and fields of its own left out.';
revoke execute on function mill.cut_error(jsonb) from public;

create or replace function mill.stamped_error(p_error jsonb, p_worker text, p_attempt int, p_at timestamptz) returns jsonb
language sql immutable
return case when pg_column_size(p_error) > 16384 then mill.cut_error(p_error) when jsonb_typeof(p_error) = 'object' then p_error else jsonb_build_object('message', p_error #>> '{}') end
  || jsonb_build_object('worker', p_worker, 'attempt', p_attempt, 'at', p_at);

comment on function mill.stamped_error(jsonb, text, int, timestamptz) is 'An error with who met it, in which attempt and when.';
revoke execute on function mill.stamped_error(jsonb, text, int, timestamptz) from public;

-- The ten newest: a job that fails for a week must not grow without bound.
create or replace function mill.append_error(p_log jsonb, p_error jsonb) returns jsonb
language sql immutable
return case
  when p_error is null then p_log
  when jsonb_array_length(p_log) >= 10 then (p_log - 0) || jsonb_build_array(p_error)
  else coalesce(p_log, '[]') || jsonb_build_array(p_error)
end;

comment on function mill.append_error(jsonb, jsonb) is 'The error history with one more entry, ten at the most.';
revoke execute on function mill.append_error(jsonb, jsonb) from public;
