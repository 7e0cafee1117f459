-- The steps of the engine itself.
create or replace function mill.cleanup_retention(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$ select mill.maintain() $$;
comment on function mill.cleanup_retention(int) is 'Drops days past their retention and prunes what grows; does by itself what the hourly schedule does.';
revoke execute on function mill.cleanup_retention(int) from public;

create or replace function mill.cleanup_workers(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from mill.worker w where w.worker in (
      select o.worker from mill.worker o where o.seen_at < mill.now() - interval '1 day' limit p_max)
    returning 1),
  -- The last one of each queue stays: health names it.
  claimants as (
    delete from mill.claimant c where c.claimed_at < mill.now() - interval '1 day'
      and exists (select from mill.claimant later where later.queue = c.queue and later.claimed_at > c.claimed_at))
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;
comment on function mill.cleanup_workers(int) is 'Forgets workers that were not seen for a day.';
revoke execute on function mill.cleanup_workers(int) from public;

create or replace function mill.cleanup_alerts(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from mill.alert a where a.id in (
      select o.id from mill.alert o where o.state = 'resolved' and o.resolved_at < mill.now() - interval '90 days' limit p_max)
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;
comment on function mill.cleanup_alerts(int) is 'Forgets alerts that were resolved 90 days ago.';
revoke execute on function mill.cleanup_alerts(int) from public;

create or replace function mill.cleanup_unique_jobs(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from mill.unique_job u where (u.kind, u.digest) in (
      select o.kind, o.digest from mill.unique_job o where o.until <= mill.now() order by o.until limit p_max for update skip locked)
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;
comment on function mill.cleanup_unique_jobs(int) is 'Forgets the keys of unique jobs whose time is over.';
revoke execute on function mill.cleanup_unique_jobs(int) from public;

insert into mill.cleanup_step (step, description, run, place) values
  ('retention', 'Days past their retention', 'mill.cleanup_retention', 10),
  ('workers', 'Workers that are gone', 'mill.cleanup_workers', 20),
  ('alerts', 'Alerts resolved long ago', 'mill.cleanup_alerts', 30),
  ('unique_jobs', 'Keys of unique jobs whose time is over', 'mill.cleanup_unique_jobs', 32)
on conflict (step) do update set description = excluded.description, run = excluded.run, place = excluded.place;
