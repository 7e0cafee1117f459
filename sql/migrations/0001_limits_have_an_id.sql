-- The table has one row per provider and endpoint, so rewriting it takes no time. Postgres changes no type below a view: the view of compat goes
-- here, in whatever schema it is, and is made again with its new columns later in the same run. A view of the operator's is not ours to drop:
-- Postgres then says which one is in the way.
do $$
declare
  v_view regclass;
begin
  for v_view in
    select distinct w.ev_class::regclass from pg_depend d join pg_rewrite w on w.oid = d.objid join pg_class c on c.oid = w.ev_class
    where d.classid = 'pg_rewrite'::regclass and d.refobjid = 'mill.api_rate_limits'::regclass and c.relname = 'api_rate_limits'
  loop
    execute format('drop view %s', v_view);
  end loop;
end
$$;
alter table mill.api_rate_limits
  alter backpressure_threshold type numeric(3, 2) using greatest(round(backpressure_threshold, 2), 0.01),
  add column id uuid not null default gen_random_uuid(),
  add constraint an_id_names_one_limit unique (id);
