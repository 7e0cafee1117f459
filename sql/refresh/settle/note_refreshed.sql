-- Which types a batch has refreshed, and which answers it has refused. A refused answer is an event that names its type, so that mill.measure_warnings
-- counts it. p_held: the payload of each held job by its id; p_plain: the outcomes as mill.settle was given them.
create or replace function mill.note_refreshed(p_plain jsonb, p_held jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type record;
begin
  for v_type in
    select p_held -> (o ->> 'id') ->> 'data_type' as data_type, bool_or(o ->> 'outcome' = 'completed') as is_good,
      count(*) filter (where o ->> 'outcome' in ('failed', 'dead')) as refused,
      (array_agg(distinct o #>> '{error,type}') filter (where o ->> 'outcome' in ('failed', 'dead')))[:5] as errors
    from jsonb_array_elements(p_plain) o
    where p_held ? (o ->> 'id')
    group by 1 order by 1
  loop
    -- It looks first: an upsert that changes nothing locks the row all the same, and batches would wait for each other.
    if v_type.is_good and not exists (
      select from mill.heartbeat h where h.part = 'refreshed_' || v_type.data_type and h.at > p_now - interval '1 minute')
    then
      perform mill.record_heartbeat('refreshed_' || v_type.data_type);
    end if;
    if v_type.refused > 0 then
      insert into mill.event (at, code, detail)
      values (p_now, 'refresh_failed', jsonb_build_object('data_type', v_type.data_type, 'count', v_type.refused, 'errors', v_type.errors));
    end if;
  end loop;
end
$$;

comment on function mill.note_refreshed(jsonb, jsonb, timestamptz) is 'Records when each data type was last refreshed well, and an event for each type whose answers were refused.';
revoke execute on function mill.note_refreshed(jsonb, jsonb, timestamptz) from public;
