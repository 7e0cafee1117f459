-- A plan that uses what was switched off costs 10^10, which makes a Postgres with LLVM compile it: claims took 750 ms.
select plan(1);
select is_empty(
  $$ select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('mill', 'public') and exists (select from unnest(p.proconfig) c where c like 'enable\_%=off')
       and not p.proconfig @> array['jit=off'] $$, 'every function that pins its plan also switches JIT off');
select * from finish();
