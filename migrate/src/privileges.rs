//! Brings the privileges and comments of a routine or view back to what a new one has, before its file is applied again.
//!
//! `create or replace` keeps both. A file that no longer grants to a role would otherwise leave the grant in place, and
//! an upgraded database would differ from a fresh one. The default privileges of the schema count: Supabase has some.

use super::error::Error;
use super::session::Session;

/// $1 is `pg_proc` or `pg_class`, $2 the oid. One statement per row.
const RESET: &str = "with o as (
  select p.oid, p.proowner as owner, p.pronamespace as place, p.proacl as acl, 'f'::\"char\" as type,
    format('routine %s', p.oid::regprocedure) as target, 'pg_proc'::regclass as class
  from pg_proc p where $1::text = 'pg_proc' and p.oid = $2
  union all
  select c.oid, c.relowner, c.relnamespace, c.relacl, 'r'::\"char\", format('table %s', c.oid::regclass), 'pg_class'::regclass
  from pg_class c where $1::text = 'pg_class' and c.oid = $2
), w as (
  select o.*, coalesce(o.acl, acldefault(o.type, o.owner)) as has,
    coalesce((select d.defaclacl from pg_default_acl d where d.defaclrole = o.owner and d.defaclnamespace = 0 and d.defaclobjtype = o.type),
      acldefault(o.type, o.owner))
    || coalesce((select d.defaclacl from pg_default_acl d where d.defaclrole = o.owner and d.defaclnamespace = o.place and d.defaclobjtype = o.type), '{}') as wants
  from o
)
select s.statement
from w cross join lateral (
  select 1 as step, g.grantee::text as place, format('revoke all on %s from %s', w.target, case g.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(g.grantee)) end) as statement
  from (select distinct a.grantee from aclexplode(w.has) a where a.grantee <> w.owner) g
  where not (w.has @> w.wants and w.wants @> w.has)
  union all
  select 2, lpad(a.place::text, 6, '0'), format('grant %s on %s to %s%s', a.privilege_type, w.target,
    case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end, case when a.is_grantable then ' with grant option' else '' end)
  from aclexplode(w.wants) with ordinality a(grantor, grantee, privilege_type, is_grantable, place)
  where a.grantee <> w.owner and not (w.has @> w.wants and w.wants @> w.has)
  union all
  select 3, d.objsubid::text, case
    when d.objsubid > 0 then format('comment on column %s.%I is null', w.oid::regclass,
      (select a.attname from pg_attribute a where a.attrelid = w.oid and a.attnum = d.objsubid))
    when w.type = 'f' then format('comment on %s is null', w.target)
    else format('comment on view %s is null', w.oid::regclass) end
  from pg_description d where d.classoid = w.class and d.objoid = w.oid
) s
order by s.step, s.place";

/// Runs what is needed for one object.
pub(super) async fn reset(
    session: &mut Session<'_>,
    class: &'static str,
    oid: u32,
) -> Result<(), Error> {
    let statements = session.texts(RESET, &[&class, &oid]).await?;
    if !statements.is_empty() {
        session.run(&statements.join(";\n")).await?;
    }
    Ok(())
}
