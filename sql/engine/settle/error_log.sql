create or replace function mill.stamped_error(p_error jsonb, p_worker text, p_attempt int, p_at timestamptz) returns jsonb
language sql immutable
return case when jsonb_typeof(p_error) = 'object' then p_error else jsonb_build_object('message', p_error #>> '{}') end
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
