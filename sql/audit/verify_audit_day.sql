-- One statement, so one snapshot: what is being written or linked meanwhile does not count as meddling.
create or replace function mill.verify_audit_day(p_day date) returns table (seq int, audit_id bigint, problem text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with day as (
    select d.* from mill.audit_day d where d.day = p_day
  ),
  log as (
    select a.id, mill.audit_digest(a) as digest from mill.audit_log a
    where a.at >= p_day::timestamp at time zone 'UTC' and a.at < (p_day + 1)::timestamp at time zone 'UTC'
  ),
  link as (
    select c.seq, c.audit_id, c.hash, l.digest,
      row_number() over (order by c.seq) as place,
      lag(c.hash, 1, d.began_on) over (order by c.seq) as hash_before,
      lag(c.audit_id) over (order by c.seq) as id_before
    from mill.audit_chain c join day d on d.day = c.day left join log l on l.id = c.audit_id
    where d.dropped_at is null
  )
  select k.seq, k.audit_id,
    case
      when k.digest is null then 'deleted'
      when k.seq <> k.place then 'link_missing'
      else 'altered_or_reordered'
    end
  from link k
  where k.digest is null or k.seq <> k.place or k.hash is distinct from sha256(k.hash_before || k.digest)
  union all
  select null, l.id, 'not_in_the_chain' from log l
  where not exists (select from link k where k.audit_id = l.id)
    and not exists (select from mill.audit_unchained u where u.audit_id = l.id)
  union all
  select d.rows, null, 'end_of_the_day_missing' from day d
  where d.dropped_at is null
    and not exists (select from link k where k.seq = d.rows and k.hash = d.head)
  union all
  select null, null, 'day_missing' where exists (select from mill.audit_chain c where c.day = p_day) and not exists (select from day)
  union all
  -- The day before has vanished, or is not the one that this day began on.
  select null, null, 'day_before_missing' from day d
  where d.previous_day is not null and not exists (
    select from mill.audit_day b
    where b.day = d.previous_day and (b.dropped_at is not null or d.began_on = b.head
      or exists (select from mill.audit_chain c where c.day = b.day and c.hash = d.began_on)))
  union all
  select null, null, 'day_before_missing' from day d
  where d.previous_day is null and d.began_on <> decode(repeat('00', 32), 'hex')
$$;

comment on function mill.verify_audit_day(date) is 'What is wrong with the audit rows and the chain of a day; no row when nothing is.';
revoke execute on function mill.verify_audit_day(date) from public;
