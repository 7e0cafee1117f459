-- include: rules/*.sql
select plan(4);
set mill.now = '2030-01-01 00:00+00';
create function public.deadlocks() returns trigger language plpgsql as $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$;
create trigger deadlocks before insert on public.quotes for each row execute function public.deadlocks();
create function pg_temp.holds() returns boolean language plpgsql as $$
declare
  v_end text;
begin
  perform pg_temp.clear();
  v_end := pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now())));
  return v_end = 'pending'
    and (select attempt = 0 and run_at <= mill.now() from mill.job_live)
    and not exists (select from mill.stat_batch where outcome = 'failed');
end $$;
select ok(pg_temp.holds(), 'pending again at once, with its attempt, and no failure is counted');
select pg_temp.caught('pg_temp.holds()', 'mill.write_fetched', 'sqlstate in (''40P01'', ''40001'')', 'false');
drop trigger deadlocks on public.quotes;
select pg_temp.clear();
select is(pg_temp.refresh('AAA', jsonb_build_object('rows', pg_temp.quote('AAA', mill.now()))), 'completed written', 'the next try writes');
select public.queue_refresh_if_not_exists('BBB', 'quote');
create temp table given_out as select b.id from jsonb_to_recordset(public.get_queue_batch(1)) b(id uuid);
select public.reset_job_immediate(id) from given_out;
select ok((select count(*) = 1 from given_out) and (select attempt = 0 and state = 'pending' from mill.job_live), 'as reset_job_immediate does');
select * from finish();
