create or replace view mill.packed_job as
select p.first as pack, j.id, p.queue, p.kind, j.payload, 'pending' as state, l.priority, p.run_at, p.max_attempts, p.run_at as created_at,
  null::text as name, null::text as category, null::text as worker, null::timestamptz as lease_until, 0 as attempt, 0::smallint as progress,
  null::jsonb as result, null::jsonb as error, null::uuid as owner, null::text as correlation_id,
  null::timestamptz as started_at, null::timestamptz as finished_at, null::text as traceparent
from mill.pack p
join mill.line l on l.line = p.line
cross join lateral unnest(p.ids, p.payloads) as j(id, payload);

comment on view mill.packed_job is 'The jobs that wait in packs, one by one: what mill.job would say of them.';

-- Not below the ids of its own call: while a snapshot is held open, entries of packs that are gone lie there.
create or replace function mill.pack_of(p_id uuid) returns uuid
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return (
    select p.first from mill.pack p
    where p.first <= p_id and p.first >= (left(p_id::text, 31) || '00000')::uuid
    order by p.first desc
    limit 1);
end
$$;

comment on function mill.pack_of(uuid) is 'The only pack that can hold a job, or null.';
revoke execute on function mill.pack_of(uuid) from public;
