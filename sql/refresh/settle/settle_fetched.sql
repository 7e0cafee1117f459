-- From fetched outcomes to those that mill.settle understands; the others pass. What the job asked for counts (p_held, id to
-- payload), not what the processor says it fetched. Types in order, and within a type one statement.
create or replace function mill.settle_fetched(p_outcomes jsonb, p_held jsonb, p_now timestamptz) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch record;
  v_status jsonb := jsonb '{}';
begin
  for v_batch in
    select r as type, jsonb_agg(jsonb_build_object('id', o ->> 'id', 'symbol', p_held -> (o ->> 'id') ->> 'symbol', 'rows', o -> 'rows')
      order by p_held -> (o ->> 'id') ->> 'symbol') as fetched
    from jsonb_array_elements(p_outcomes) o
    join public.data_type_registry r on r.data_type = p_held -> (o ->> 'id') ->> 'data_type' and r.data_type = o ->> 'data_type'
    where o ->> 'outcome' = 'fetched'
    group by r.data_type order by r.data_type
  loop
    v_status := v_status || mill.write_fetched(v_batch.type, v_batch.fetched, p_now);
  end loop;

  return (
    select coalesce(jsonb_agg(case
      when o ->> 'outcome' <> 'fetched' then o
      -- The lease is lost, and settling says so.
      when not p_held ? (o ->> 'id') then s.head || '{"outcome": "released"}'
      when s.status in ('written', 'unchanged') then s.head || jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object(
        'status', s.status, 'rows', jsonb_array_length(o -> 'rows'), 'bytes', o -> 'bytes'))
      when s.status = 'released' then s.head || '{"outcome": "released"}'
      else s.head || jsonb_build_object('outcome', 'failed', 'error', jsonb_build_object(
        'type', split_part(s.status, ':', 1), 'message', 'the fetched data was refused: ' || s.status, 'retryable', s.status <> 'wrong_data_type'))
      end), '[]')
    from jsonb_array_elements(p_outcomes) o
    cross join lateral (select jsonb_build_object('id', o -> 'id', 'attempt', o -> 'attempt') as head,
      coalesce(v_status ->> (o ->> 'id'), 'wrong_data_type') as status) s);
end
$$;

comment on function mill.settle_fetched(jsonb, jsonb, timestamptz) is 'Writes what the held jobs of a batch fetched and says how each ends.';
revoke execute on function mill.settle_fetched(jsonb, jsonb, timestamptz) from public;
