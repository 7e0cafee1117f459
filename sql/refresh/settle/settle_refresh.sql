-- Ends a batch: rows are written and jobs are settled in one transaction. Besides the outcomes of mill.settle there is
-- fetched, {id, attempt, data_type, symbol, rows, bytes, events}; bytes, events and called may stand with any outcome.
-- p_pauses, {provider: seconds}, is what a provider asked for with 429.
--
-- Fencing: the held leases are locked first, by id, and only their rows are written. Then data rows in the order of type
-- and symbol; nobody else writes those.
create or replace function public.settle_refresh(p_worker text, p_outcomes jsonb, p_invocation uuid default null, p_pauses jsonb default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_now timestamptz := mill.now();
  v_held jsonb; -- id to payload
  v_plain jsonb;
  v_fetches jsonb;
  v_answers jsonb;
begin
  perform mill.require_primary();
  select coalesce(jsonb_object_agg(h.id, h.payload), '{}') into v_held from mill.held_jobs(p_worker, p_outcomes) h;

  v_plain := mill.settle_fetched(p_outcomes, v_held, v_now);
  v_fetches := (select coalesce(jsonb_agg(o), '[]') from jsonb_array_elements(p_outcomes) o where v_held ? (o ->> 'id'));
  perform mill.settle_calls(v_fetches, p_pauses, v_now);
  select coalesce(jsonb_agg(to_jsonb(s)), '[]') into v_answers from mill.settle(p_worker, v_plain) s;
  if p_invocation is not null then
    perform mill.end_invocation(p_invocation);
  end if;
  perform mill.note_fetches(v_fetches, v_now);
  perform mill.note_refreshed(v_plain, v_held, v_now);

  perform mill.end_refresh_pauses(coalesce((
    select jsonb_agg(v_held -> (o ->> 'id')) from jsonb_array_elements(v_plain) o
    where o ->> 'outcome' = 'completed' and v_held ? (o ->> 'id')), '[]'));

  -- Last, for the lock is kept until commit: see mill.data_change.
  if v_plain @? '$[*].result ? (@.status == "written")' then
    perform pg_advisory_xact_lock(702236, 0);
    insert into mill.data_change (at, data_type, symbol)
    select v_now, v_held -> (o ->> 'id') ->> 'data_type', v_held -> (o ->> 'id') ->> 'symbol'
    from jsonb_array_elements(v_plain) o where o #>> '{result,status}' = 'written';
  end if;
  return v_answers;
end
$$;

comment on function public.settle_refresh(text, jsonb, uuid, jsonb) is 'Writes what a batch fetched and settles it, as an array of {id, status}.';
revoke execute on function public.settle_refresh(text, jsonb, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.settle_refresh(text, jsonb, uuid, jsonb) to service_role;
