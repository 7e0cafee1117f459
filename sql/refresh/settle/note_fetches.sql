-- What the calls of a batch cost, and what was odd about them: one row of usage per type, one event per code. A row of one call names its job.
create or replace function mill.note_fetches(p_outcomes jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes, job_id)
  select p_now, r.provider, r.data_type, count(*), sum(o.bytes), case when count(*) = 1 then (array_agg(o.id))[1] end
  from jsonb_to_recordset(p_outcomes) as o(id uuid, data_type text, bytes bigint)
  join public.data_type_registry r using (data_type)
  where o.bytes is not null
  group by r.provider, r.data_type
  order by r.data_type;

  insert into mill.event (at, code, detail)
  select p_now, e.code, jsonb_build_object('count', count(*), 'symbols', (array_agg(distinct o.symbol))[:5])
  from jsonb_to_recordset(p_outcomes) as o(symbol text, events text[]) cross join lateral unnest(o.events) e(code)
  group by e.code;

  perform mill.correct_estimates(p_outcomes, p_now);
end
$$;

comment on function mill.note_fetches(jsonb, timestamptz) is 'Counts what a batch of calls carried, and records their events.';
revoke execute on function mill.note_fetches(jsonb, timestamptz) from public;
