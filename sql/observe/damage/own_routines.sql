-- As in mill.own_relations: schema mill is ours, and elsewhere what the files have made. A routine of the user's own may have the name of one of
-- ours with other arguments.
create or replace function mill.own_routines() returns table (routine oid, kind text, name text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with found as (
    select p.oid, p.prokind from pg_proc p where p.pronamespace = to_regnamespace('mill')
    union all
    select p.oid, p.prokind
    from mill.object o
    join pg_namespace n on n.nspname = split_part(o.name, '.', 1)
    join pg_proc p on p.pronamespace = n.oid and p.proname = split_part(o.name, '.', 2)
    where o.kind in ('function', 'procedure') and n.nspname <> 'mill'
      and coalesce(o.arguments = pg_get_function_identity_arguments(p.oid), true)
  )
  select f.oid, case f.prokind when 'p' then 'procedure' else 'function' end, f.oid::regprocedure::text
  from found f
  where f.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
$$;

comment on function mill.own_routines() is 'The functions and procedures of the installed release.';
revoke execute on function mill.own_routines() from public;
