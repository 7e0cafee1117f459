-- Each contract is a check, a function that says whether it holds. The check must hold on what is installed, and must
-- fail on the broken variants that mutate() installs: a check that cannot fail proves nothing.
create temp table original (routine regproc primary key, source text);
create function pg_temp.mutate(p_routine regproc, p_from text, p_to text) returns void language plpgsql as $$
declare
  v_source text := pg_get_functiondef(p_routine);
begin
  if position(p_from in v_source) = 0 then
    raise exception '% does not contain "%"', p_routine, p_from;
  end if;
  insert into original values (p_routine, v_source) on conflict do nothing;
  execute replace(v_source, p_from, p_to);
end $$;
create function pg_temp.restore() returns void language plpgsql as $$
declare
  v_source text;
begin
  for v_source in delete from original returning source loop
    execute v_source;
  end loop;
end $$;
-- Installs a broken variant, asks the check, puts things right again. A check that raises has failed.
create function pg_temp.survives(p_check text, p_routine regproc, p_from text, p_to text) returns boolean language plpgsql as $$
declare
  v_holds boolean;
begin
  perform pg_temp.mutate(p_routine, p_from, p_to);
  begin
    execute 'select ' || p_check into v_holds;
  exception when others then
    v_holds := false;
  end;
  perform pg_temp.restore();
  return coalesce(v_holds, false);
end $$;
create function pg_temp.caught(p_check text, p_routine regproc, p_from text, p_to text) returns text language sql as $$
  select is(pg_temp.survives(p_check, p_routine, p_from, p_to), false, format('caught: "%s" in place of "%s" in %s', p_to, p_from, p_routine))
$$;
-- Stands in the place of caught() where tests/mutants has installed a mutant already.
create function pg_temp.left_out(p_check text, p_routine regproc, p_from text, p_to text) returns text language sql as $$
  select pass('left out')
$$;

-- A symbol's quote made at a time, as the processor hands it in.
create function pg_temp.quote(p_symbol text, p_at timestamptz, p_price numeric default 10) returns jsonb language sql as $$
  select jsonb_build_array(jsonb_build_object('symbol', p_symbol, 'name', 'n', 'price', p_price, 'change', 0, 'change_percentage', 0,
    'volume', 1, 'day_low', 1, 'day_high', 20, 'year_low', 1, 'year_high', 20, 'price_avg_50', 1, 'price_avg_200', 1, 'exchange', 'X',
    'open', 1, 'previous_close', 1, 'quoted_at', p_at))
$$;
-- Queues, claims and settles one refresh; answers how it ended.
create function pg_temp.refresh(p_symbol text, p_outcome jsonb) returns text language plpgsql as $$
declare
  v_job jsonb;
begin
  perform public.queue_refresh_if_not_exists(p_symbol, 'quote', 5, 10);
  v_job := public.claim_refresh('w') -> 'jobs' -> 0;
  if v_job is null then
    return null;
  end if;
  perform public.settle_refresh('w', jsonb_build_array(jsonb_build_object('id', v_job -> 'id', 'attempt', v_job -> 'attempt',
    'symbol', p_symbol, 'data_type', 'quote', 'outcome', 'fetched', 'bytes', 100, 'called', true) || p_outcome));
  return (select j.state || coalesce(' ' || (j.result ->> 'status'), ' ' || (j.error ->> 'type'), '') from mill.job j where j.id = (v_job ->> 'id')::uuid);
end $$;
create function pg_temp.clear() returns void language sql as $$
  delete from mill.job; delete from mill.event; delete from mill.heartbeat; delete from mill.data_check; delete from mill.api_use;
  delete from public.quotes; delete from public.api_data_usage; delete from mill.stat_batch; delete from mill.breaker; delete from mill.refresh_walk;
  delete from mill.data_change
$$;
insert into public.supported_symbols (symbol) values ('AAA'), ('BBB'), ('CCC');
