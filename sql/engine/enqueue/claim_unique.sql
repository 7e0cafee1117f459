-- Unique jobs: of the jobs of a kind with equal values of chosen fields, one is made within a period, whatever has become of it since.

-- The jobs of a batch that are to be unique, with their keys. A job's own option comes before that of its kind; false switches it off. A field
-- may be an inner one, with dots; a missing one counts as null. unique_scope is what submit_job sets for users: nobody can probe or block another's.
create or replace function mill.unique_keys(p_jobs jsonb)
returns table (at int, kind text, digest bytea, within_seconds int)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select (e.ordinality - 1)::int, k.kind,
    sha256(convert_to(jsonb_build_array(e.job -> 'unique_scope', u.fields, case when cardinality(u.fields) = 0 then e.job -> 'payload' else (
      select jsonb_agg(coalesce(e.job -> 'payload' -> f.name, e.job -> 'payload' #> string_to_array(f.name, '.')) order by f.n)
      from unnest(u.fields) with ordinality as f(name, n)) end)::text, 'UTF8')),
    u.within_seconds
  from jsonb_array_elements(p_jobs) with ordinality as e(job, ordinality)
  join mill.kind k on k.kind = e.job ->> 'kind'
  cross join lateral (
    select k.unique_by as fields, k.unique_within_seconds as within_seconds where coalesce(e.job -> 'unique', 'null') = 'null'
    union all
    select case when mill.is_unique_option(e.job -> 'unique') or mill.refuse_job(e.ordinality - 1, 'GM004', 'unique')
        then array(select jsonb_array_elements_text(e.job -> 'unique' -> 'by')) end, (e.job -> 'unique' ->> 'within_seconds')::int
    where e.job -> 'unique' not in ('null', 'false')) u
  where u.fields is not null
$$;

comment on function mill.unique_keys(jsonb) is 'The keys of the jobs of a batch that are to be unique. GM004 for an option that says nothing.';
revoke execute on function mill.unique_keys(jsonb) from public;

-- Takes the keys of a batch, and answers the jobs whose keys are taken already, as ordinal to {id, status}. A job whose key comes twice in the
-- batch is answered with the ordinal of the first one.
--
-- Lock order: keys, sorted, and before any dedupe key. Looked for without a lock first: an INSERT that conflicts locks the row that is there, and
-- duplicates would wait for each other.
create or replace function mill.claim_unique(p_jobs jsonb, p_now timestamptz, p_turn bigint, p_random text) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_answers jsonb;
begin
  with keys as materialized (
    select u.*, min(u.at) over (partition by u.kind, u.digest) as first from mill.unique_keys(p_jobs) u
  ),
  written as (
    insert into mill.unique_job as j (kind, digest, id, until)
    select k.kind, k.digest, mill.uuid7_at(p_turn + k.at + 1, p_random), p_now + make_interval(secs => k.within_seconds)
    from keys k
    where k.at = k.first
      and not exists (select from mill.unique_job o where o.kind = k.kind and o.digest = k.digest and o.until > p_now)
    order by k.kind, k.digest
    on conflict (kind, digest) do update set id = excluded.id, until = excluded.until where j.until <= p_now
    returning j.kind, j.digest
  )
  select coalesce(jsonb_object_agg(k.at, jsonb_strip_nulls(jsonb_build_object(
    'status', 'duplicate', 'kind', case when w.kind is null then k.kind end, 'digest', case when w.kind is null then encode(k.digest, 'hex') end,
    'first', case when w.kind is not null then k.first end))), '{}')
  into v_answers
  from keys k left join written w on w.kind = k.kind and w.digest = k.digest
  where w.kind is null or k.at > k.first;

  -- In a statement of its own: it sees the rows that the insert has waited for.
  return (
    select coalesce(jsonb_object_agg(a.key, case when a.value ? 'digest' then jsonb_build_object('status', 'duplicate', 'id', j.id) else a.value end), '{}')
    from jsonb_each(v_answers) a
    left join mill.unique_job j on j.kind = a.value ->> 'kind' and j.digest = decode(a.value ->> 'digest', 'hex'));
end
$$;

comment on function mill.claim_unique(jsonb, timestamptz, bigint, text) is 'Takes the keys of unique jobs; answers which jobs of the batch are duplicates. For mill.enqueue alone.';
revoke execute on function mill.claim_unique(jsonb, timestamptz, bigint, text) from public;

-- A job that took its key and was not made after all, because its queue is full or its dedupe key is taken, gives the key back. Jobs of the
-- same batch that were to be its duplicates have its answer.
create or replace function mill.return_unique(p_jobs jsonb, p_answers jsonb, p_turn bigint, p_random text) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  if exists (select from jsonb_each(p_answers) a where a.value ->> 'status' <> 'new') then
    delete from mill.unique_job j using mill.unique_keys(p_jobs) k
    where j.kind = k.kind and j.digest = k.digest and j.id = mill.uuid7_at(p_turn + k.at + 1, p_random) and p_answers -> k.at::text ->> 'status' <> 'new';
  end if;
  return (
    select coalesce(jsonb_object_agg(a.key, case
      when a.value ? 'first' and p_answers #> array[a.value ->> 'first', 'id'] is not null
        then jsonb_build_object('status', 'duplicate', 'id', p_answers #> array[a.value ->> 'first', 'id'])
      when a.value ? 'first' then p_answers -> (a.value ->> 'first')
      else a.value end), '{}')
    from jsonb_each(p_answers) a);
end
$$;

comment on function mill.return_unique(jsonb, jsonb, bigint, text) is 'Gives back the keys of jobs that were not made; answers the jobs that came twice in a batch. For mill.enqueue_keyed alone.';
revoke execute on function mill.return_unique(jsonb, jsonb, bigint, text) from public;
