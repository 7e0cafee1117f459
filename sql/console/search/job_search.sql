-- A search of jobs, understood: {terms, condition, bounds, sources, columns, notes}. condition is SQL over a job j. bounds are the lowest and
-- the highest id, between which the walk stays: ids are ordered by time. sources are the tables in which such jobs can lie.
create or replace function mill.job_search(p_search text, p_role text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_terms jsonb := mill.search_terms(p_search, array['kind', 'queue', 'state', 'id', 'owner', 'group', 'name', 'error', 'correlation', 'worker', 'parent', 'priority',
    'attempt', 'since', 'until', 'payload']);
  v_term jsonb;
  v_conditions text[] := array['true'];
  v_states text[] := array['pending', 'processing', 'deferred', 'retrying', 'completed', 'cancelled', 'failed'];
  v_has_packs boolean := true;
begin
  for v_term in select jsonb_array_elements(v_terms) loop
    v_conditions := v_conditions || mill.job_condition(v_term, p_role);
    if v_term ->> 'key' = 'state' and not (v_term ->> 'not')::boolean then
      v_states := array(select unnest(v_states) intersect select unnest(mill.search_states(v_term)));
    end if;
    v_has_packs := v_has_packs and ((v_term ->> 'not')::boolean or v_term ->> 'key' <> all (array['owner', 'group', 'name', 'error', 'correlation', 'worker', 'parent']));
  end loop;
  return jsonb_build_object('terms', v_terms, 'condition', array_to_string(v_conditions, ' and '), 'bounds', mill.search_bounds(v_terms),
    'sources', array_remove(array[
      case when v_states && array['pending', 'processing', 'deferred', 'retrying'] then 'live' end,
      case when 'pending' = any (v_states) and v_has_packs then 'packs' end,
      case when 'failed' = any (v_states) then 'dead' end,
      case when v_states && array['completed', 'cancelled'] then 'done' end], null),
    'columns', (select coalesce(jsonb_agg(t -> 'path'), '[]') from (
      select t from jsonb_array_elements(v_terms) t where t ->> 'key' = 'column' limit 6) c),
    'notes', case when p_role = 'viewer' and v_terms @> '[{"key": "payload"}]' then jsonb_build_array(
      'Masked payloads are not searched for a viewer. Ask for the role operator, or search by kind, queue or error.') else '[]' end);
end
$$;

comment on function mill.job_search(text, text) is 'A search of jobs, understood: {terms, condition, bounds, sources, columns, notes}.';
revoke execute on function mill.job_search(text, text) from public;

-- Ids carry the millisecond at which they were made. A large batch numbers its jobs onwards from there, so the upper bound has two seconds to spare;
-- the condition on created_at is exact.
create or replace function mill.search_bounds(p_terms jsonb) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_term jsonb;
  v_value text;
  v_ids uuid[];
  v_lowest uuid := '00000000-0000-0000-0000-000000000000'::uuid;
  v_highest uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
begin
  for v_term in select t from jsonb_array_elements(p_terms) t where not (t ->> 'not')::boolean and t ->> 'key' in ('since', 'until', 'id', 'word') loop
    v_value := v_term #>> '{values,0}';
    if v_term ->> 'key' in ('id', 'word') then
      if not exists (select from jsonb_array_elements_text(v_term -> 'values') v where v !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$') then
        v_ids := array(select v::uuid from jsonb_array_elements_text(v_term -> 'values') v order by 1);
        v_lowest := greatest(v_lowest, v_ids[1]);
        v_highest := least(v_highest, v_ids[cardinality(v_ids)]);
      elsif v_term ->> 'key' = 'id' and jsonb_array_length(v_term -> 'values') = 1 then
        v_lowest := greatest(v_lowest, rpad(translate(v_value, '-*', ''), 32, '0')::uuid);
        v_highest := least(v_highest, rpad(translate(v_value, '-*', ''), 32, 'f')::uuid);
      end if;
    elsif jsonb_array_length(v_term -> 'values') = 1 and v_term ->> 'key' = 'since' then
      v_lowest := greatest(v_lowest, mill.lowest_id_at(mill.search_time(v_value) - interval '1 second'));
    elsif jsonb_array_length(v_term -> 'values') = 1 then
      v_highest := least(v_highest, mill.lowest_id_at(mill.search_time(v_value) + interval '2 seconds'));
    end if;
  end loop;
  return jsonb_build_object('lowest', v_lowest, 'highest', v_highest, 'ids', v_ids);
end
$$;

comment on function mill.search_bounds(jsonb) is 'What the terms of a search say about the ids of jobs: {lowest, highest, ids}.';
revoke execute on function mill.search_bounds(jsonb) from public;

-- Times from 1970 to 9999: what lies outside has no id.
create or replace function mill.lowest_id_at(p_at timestamptz) returns uuid
language sql immutable
return (lpad(to_hex(greatest(0, least((extract(epoch from p_at) * 1000)::bigint, 253402300799999))), 12, '0') || '70008000000000000000')::uuid;

comment on function mill.lowest_id_at(timestamptz) is 'The lowest time-ordered id of a millisecond.';
revoke execute on function mill.lowest_id_at(timestamptz) from public;
