create or replace function mill.promote(p_max int default 10000) returns int
language sql
set search_path = pg_catalog, pg_temp
as $$
  with due as (
    select j.id from mill.job_live j
    where j.state in ('deferred', 'retrying') and j.run_at <= mill.now()
    order by j.run_at
    limit p_max
    for update skip locked
  ),
  promoted as (
    update mill.job_live j set state = 'pending' from due d where j.id = d.id
    returning 1
  )
  select count(*)::int from promoted
$$;

comment on function mill.promote(int) is 'Makes deferred and retrying jobs pending once they are due; says how many.';
revoke execute on function mill.promote(int) from public;
