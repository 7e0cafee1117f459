-- Estimates correct themselves: about one completion in a hundred moves its type's by a tenth of the way, a zero takes
-- the first actual. One in a hundred, because every move is a write to a row that all batches share.
create or replace function mill.correct_estimates(p_outcomes jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_share double precision := mill.setting('refresh.estimate_share', '0.01')::double precision;
  v_seen record;
begin
  for v_seen in
    select o.data_type, o.bytes, r.estimated_data_size_bytes as estimate
    from jsonb_to_recordset(p_outcomes) as o(data_type text, bytes bigint, outcome text)
    join public.data_type_registry r using (data_type)
    where o.outcome = 'fetched' and o.bytes > 0
    order by o.data_type
  loop
    if v_seen.estimate > 0 and v_seen.bytes > 2 * v_seen.estimate and mill.every_minute('estimate_exceeded.' || v_seen.data_type) then
      insert into mill.event (at, code, detail) values (p_now, 'estimate_exceeded', to_jsonb(v_seen));
    end if;
    if v_seen.estimate = 0 or random() < v_share then
      update public.data_type_registry r set estimated_data_size_bytes = case r.estimated_data_size_bytes
        when 0 then v_seen.bytes else round(0.9 * r.estimated_data_size_bytes + 0.1 * v_seen.bytes) end
      where r.data_type = v_seen.data_type and (v_seen.estimate > 0 or r.estimated_data_size_bytes = 0);
    end if;
  end loop;
end
$$;

comment on function mill.correct_estimates(jsonb, timestamptz) is 'Moves estimated sizes towards what was fetched.';
revoke execute on function mill.correct_estimates(jsonb, timestamptz) from public;
