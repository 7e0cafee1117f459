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
  )
  update mill.tenant t set served = t.served + s.jobs
  from served s, locked l
  where t.queue = p_queue and t.tenant = s.tenant and l.tenant = s.tenant;
end
$$;

comment on function mill.count_served(text, tid[]) is 'Moves the virtual time of the tenants whose jobs were taken.';
revoke execute on function mill.count_served(text, tid[]) from public;
