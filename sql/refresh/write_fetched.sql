-- From a fetched outcome to the one that mill.settle understands. What the job asked for counts, not what the processor
-- says it fetched. A deadlock is no failure: the job goes back at once with its attempt.
create or replace function mill.write_fetched(p_payload jsonb, p_outcome jsonb, p_now timestamptz) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
  v_status text;
  v_head jsonb := jsonb_build_object('id', p_outcome -> 'id', 'attempt', p_outcome -> 'attempt');
begin
  select r.* into v_type from public.data_type_registry r where r.data_type = p_payload ->> 'data_type';
  if v_type.data_type is null or p_outcome ->> 'data_type' is distinct from v_type.data_type then
    v_status := 'wrong_data_type';
  else
    v_status := mill.write_rows(v_type, p_payload ->> 'symbol', p_outcome -> 'rows', p_now);
  end if;
  if v_status in ('written', 'unchanged') then
    return v_head || jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object(
      'status', v_status, 'rows', jsonb_array_length(p_outcome -> 'rows'), 'bytes', p_outcome -> 'bytes'));
  end if;
  return v_head || jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object(
    'type', v_status, 'message', 'the fetched data was refused', 'retryable', v_status <> 'wrong_data_type', 'provider', v_type.provider));
exception
  when deadlock_detected or serialization_failure then
    return v_head || jsonb_build_object('outcome', 'released');
  when query_canceled then raise;
  when others then
    return v_head || jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object(
      'type', 'write_refused', 'message', sqlerrm, 'sqlstate', sqlstate, 'retryable', true, 'provider', v_type.provider));
end
$$;

comment on function mill.write_fetched(jsonb, jsonb, timestamptz) is 'Writes what one job fetched and says how that job ends.';
revoke execute on function mill.write_fetched(jsonb, jsonb, timestamptz) from public;
