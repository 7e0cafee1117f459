-- The calls of a batch are over: what mill.claim_refresh reserved is given back, and the calls that were made count from
-- now. A job that was put off or released before its call has used nothing.
create or replace function mill.settle_calls(p_outcomes jsonb, p_pauses jsonb, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_limit record;
begin
  insert into mill.api_use (at, tokens, requests, provider, endpoint)
  select s.at, 0, s.requests, q.provider, q.endpoint
  from (
    select j.queue, j.started_at, count(*) as held, count(*) filter (where o.called) as called
    from jsonb_to_recordset(p_outcomes) as o(id uuid, called boolean) join mill.job_live j on j.id = o.id
    group by j.queue, j.started_at) b
  join mill.queue q on q.queue = b.queue and q.provider is not null
  cross join lateral (values (b.started_at + interval '12 seconds', -b.held), (p_now, b.called)) s(at, requests)
  where s.requests <> 0;

  for v_limit in
    select distinct q.provider, q.endpoint, k.value::numeric as seconds
    from jsonb_each_text(p_pauses) k join mill.queue q on q.provider = k.key and q.queue ~ '^refresh(-|$)' order by 1, 2
  loop
    perform public.report_api_rate_limit(v_limit.provider, v_limit.endpoint, ceil(v_limit.seconds)::int);
  end loop;
end
$$;

comment on function mill.settle_calls(jsonb, jsonb, timestamptz) is 'Counts the calls of held jobs against their provider''s limit, and blocks a provider that asked for a pause.';
revoke execute on function mill.settle_calls(jsonb, jsonb, timestamptz) from public;
