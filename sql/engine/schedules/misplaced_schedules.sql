-- The cron jobs of our schedules that cannot run here any more, because the database was restored from a dump or moved: cron.job holds the address,
-- the database and the user of the server that it comes from. With pg_cron all of them must be right. The relay looks at no address, but it
-- cannot log in as the user of the other server.
-- mill.install_schedules replaces them, and `gristmill doctor` names them.
create or replace function mill.misplaced_schedules() returns table (jobid bigint, jobname text, why text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('cron.job') is null then
    return;
  end if;
  return query execute $q$
    select j.jobid, j.jobname::text, w.why
    from cron.job j
    join mill.schedule s on s.name = j.jobname
    cross join lateral (
      select case
        when j.database <> current_database() then format('is for database %s', j.database)
        when not exists (select from pg_roles r where r.rolname = j.username) then format('is for user %s, who is not there', j.username)
        when not c.is_pg_cron and j.username = current_user then null
        when j.nodeport <> current_setting('port')::int then format('is for port %s', j.nodeport)
        when c.is_pg_cron and j.nodename <> current_setting('cron.host', true) then format('is for host %s', j.nodename)
      end as why
      from (select exists (select from pg_extension e where e.extname = 'pg_cron') as is_pg_cron) c) w
    where w.why is not null
    order by j.jobid
  $q$;
end
$$;

comment on function mill.misplaced_schedules() is 'Cron jobs of our schedules that belong to another server, database or user, and why.';
revoke execute on function mill.misplaced_schedules() from public;
