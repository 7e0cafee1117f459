-- Where the batch of a type cannot be written as a whole, each of it is tried on its own, so that one bad row takes nothing
-- but itself with it. A deadlock is no failure: the job goes back at once with its attempt.
create or replace function mill.write_fetched(p_type public.data_type_registry, p_fetched jsonb, p_now timestamptz) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_status jsonb := jsonb '{}';
  v_one jsonb;
begin
  return mill.write_rows(p_type, p_fetched, p_now);
exception
  when query_canceled then raise;
  when others then
    if jsonb_array_length(p_fetched) = 1 then
      return jsonb_build_object(p_fetched #>> '{0,id}',
        case when sqlstate in ('40P01', '40001') then 'released' else 'write_refused: ' || sqlerrm end);
    end if;
    for v_one in select f from jsonb_array_elements(p_fetched) f loop
      v_status := v_status || mill.write_fetched(p_type, jsonb_build_array(v_one), p_now);
    end loop;
    return v_status;
end
$$;

comment on function mill.write_fetched(public.data_type_registry, jsonb, timestamptz) is
  'mill.write_rows, job by job where it must; further answers are released and write_refused with its reason.';
revoke execute on function mill.write_fetched(public.data_type_registry, jsonb, timestamptz) from public;
