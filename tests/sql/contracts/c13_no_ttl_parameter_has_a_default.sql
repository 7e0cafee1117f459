-- include: rules/*.sql
select plan(4);
create function pg_temp.holds() returns boolean language sql as $$
  select not exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    cross join lateral unnest(p.proargnames[1 : p.pronargs]) with ordinality a(name, at)
    where n.nspname in ('public', 'mill') and a.name ilike '%ttl%' and a.at > p.pronargs - p.pronargdefaults)
$$;
select ok(pg_temp.holds(), 'none in public or mill');
select throws_ok('select public.is_data_stale(now())', '42883', null, 'leaving it out is an error');
select ok(public.is_data_stale(now(), null) and public.is_data_stale(null, 1) and not public.is_data_stale(now(), 1), 'missing is stale');
create function public.is_thing_stale(p_fetched_at timestamptz, p_ttl_minutes int default 5) returns boolean language sql as 'select true';
select ok(not pg_temp.holds(), 'caught: a function with one');
select * from finish();
