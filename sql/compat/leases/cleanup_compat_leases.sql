create or replace function mill.cleanup_compat_leases(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from mill.compat_lease c where c.id in (
      select o.id from mill.compat_lease o
      where o.started_at < mill.now() - interval '1 hour' and not exists (
        select from mill.job_live j where j.id = o.id and j.worker = o.worker and j.attempt = o.attempt and j.started_at = o.started_at)
      order by o.started_at limit p_max for update skip locked)
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;

comment on function mill.cleanup_compat_leases(int) is 'Forgets leases of compat claims that are over: lost, cancelled, or settled by another call.';
revoke execute on function mill.cleanup_compat_leases(int) from public;

insert into mill.cleanup_step (step, description, run, place) values
  ('compat_leases', 'Leases of compat claims that are over', 'mill.cleanup_compat_leases', 25)
on conflict (step) do update set description = excluded.description, run = excluded.run, place = excluded.place;
