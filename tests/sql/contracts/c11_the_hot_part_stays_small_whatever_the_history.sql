-- include: rules/*.sql
select plan(3);
insert into public.supported_symbols (symbol) select 'S' || n from generate_series(1, 100) n;
create function pg_temp.holds() returns boolean language plpgsql as $$
begin
  perform pg_temp.clear();
  for v_round in 1 .. 2 loop
    perform mill.queue_refreshes((select r from public.data_type_registry r where data_type = 'quote'), array(select symbol from public.supported_symbols), 5);
    delete from mill.api_use;
    perform public.complete_queue_job(b.id, 1) from jsonb_to_recordset(public.get_queue_batch(50)) b(id uuid);
    delete from mill.api_use;
    perform public.complete_queue_job(b.id, 1) from jsonb_to_recordset(public.get_queue_batch(50)) b(id uuid);
    delete from mill.api_use;
    perform public.complete_queue_job(b.id, 1) from jsonb_to_recordset(public.get_queue_batch(50)) b(id uuid);
  end loop;
  return (select count(*) = 0 from mill.job_live) and (select count(*) = 206 from mill.job_done);
end $$;
select ok(pg_temp.holds(), '206 refreshes later nothing of them is left there');
select pg_temp.caught('pg_temp.holds()', 'public.complete_queue_job', '''outcome'', ''completed''', '''outcome'', ''snoozed''');
select pg_temp.caught('pg_temp.holds()', 'public.complete_queue_job', '''outcome'', ''completed''', '''outcome'', ''released''');
select * from finish();
