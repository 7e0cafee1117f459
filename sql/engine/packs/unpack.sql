-- Makes pending rows of the jobs in packs that the caller has locked. They take the places that they were enqueued with, which no floor
-- passes meanwhile: mill.raise_floors looks at rows and packs in one statement.
create or replace function mill.unpack(p_packs tid[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_count int;
begin
  with packs as (
    delete from mill.pack p where p.ctid = any (p_packs) returning p.*
  )
  insert into mill.job (id, line, turn, queue, kind, payload, state, run_at, max_attempts, created_at)
  select j.id, p.line, p.turn + j.ordinality - 1, p.queue, p.kind, j.payload, 'pending', p.run_at, p.max_attempts, p.run_at
  from packs p cross join lateral unnest(p.ids, p.payloads) with ordinality as j(id, payload, ordinality);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function mill.unpack(tid[]) is 'Makes rows of packed jobs; says how many.';
revoke execute on function mill.unpack(tid[]) from public;

-- Waits for whoever has a pack: a claim has either taken the job that is asked for, or made a row of it. Lock order: packs by
-- their first ids, before any job.
create or replace function mill.unpack_jobs(p_ids uuid[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_packs uuid[] := array(
    select distinct p.first from unnest(p_ids) as a(id) join mill.pack p on p.first = mill.pack_of(a.id) and p.last >= a.id);
begin
  if v_packs = '{}' then
    return 0;
  end if;
  return mill.unpack(array(select p.ctid from mill.pack p where p.first = any (v_packs) order by p.first for update));
end
$$;

comment on function mill.unpack_jobs(uuid[]) is 'Makes rows of the packs that the given jobs wait in; says of how many jobs.';
revoke execute on function mill.unpack_jobs(uuid[]) from public;
