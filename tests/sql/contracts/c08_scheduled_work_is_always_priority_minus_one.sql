-- include: rules/*.sql
select plan(2);
update public.data_type_registry set refresh_strategy = 'scheduled', refresh_schedule = '* * * * *', priority = 50 where data_type = 'profile';
create function pg_temp.holds() returns boolean language plpgsql as $$
begin
  perform pg_temp.clear();
  perform public.queue_scheduled_refreshes();
  return (select count(*) = 3 and bool_and(priority = -1) from mill.job_live);
end $$;
select ok(pg_temp.holds(), 'whatever the type''s own priority');
select pg_temp.caught('pg_temp.holds()', 'mill.walk_scheduled', 'int := -1', 'int := p_type.priority');
select * from finish();
