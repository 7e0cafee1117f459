create or replace function mill.count_served(p_queue text, p_rows tid[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A tenant that an enqueue is just opening is skipped, not waited for: its turn is counted next time.
  with served as (
    select mill.tenant_of(j.owner, j.group_key) as tenant, count(*) as jobs
    from mill.job_live j where j.ctid = any (p_rows) group by 1
  ),
  locked as (
    select t.tenant from mill.tenant t
    where t.queue = p_queue and t.tenant in (select s.tenant from served s)
    for no key update skip locked
  ),
  moved as (
    update mill.tenant t set
      served = greatest(t.served, (select c.served from mill.virtual_clock c where c.queue = p_queue)) + s.jobs
    from served s, locked l
    where t.queue = p_queue and t.tenant = s.tenant and l.tenant = s.tenant
    returning t.served
  )
  -- Start-time fair queueing: the clock is the virtual time at which the last job of this claim began.
  insert into mill.virtual_clock as c (queue, served)
  select p_queue, max(m.served) - 1 from moved m having count(*) > 0
  on conflict (queue) do update set served = greatest(c.served, excluded.served);
end
$$;

comment on function mill.count_served(text, tid[]) is 'Moves the virtual time of the tenants whose jobs were taken.';
revoke execute on function mill.count_served(text, tid[]) from public;
