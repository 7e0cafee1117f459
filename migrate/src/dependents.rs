//! Finds out what depends on a routine or view that has to be dropped, and what to do about each dependent.
//!
//! Postgres keeps every dependency in `pg_depend`. The walk below follows it the way `drop … cascade` does, so that the
//! cascade then drops exactly what was found here: nothing of a user's goes without being named first.

use super::books::Books;
use super::error::Error;
use super::object::{Kind, Object, literal};
use super::session::Session;

/// A routine or view that has to go.
pub(super) struct Target {
    /// `pg_proc` or `pg_class`.
    pub(super) class: &'static str,
    /// Its oid there.
    pub(super) oid: u32,
    /// Its name and kind.
    pub(super) object: Object,
}

/// What depends on a target.
pub(super) struct Dependent {
    /// What it is, where it is of a kind that files make.
    object: Option<Object>,
    /// As Postgres describes it.
    description: String,
    /// The statement that makes it again, for triggers, policies and defaults.
    definition: Option<String>,
    /// The table that it belongs to; of a partition, the table above it.
    table: Option<String>,
}

/// What has to happen after the drop.
#[derive(Default)]
pub(super) struct Aftermath {
    /// Files whose objects go too, and that are to be applied again.
    pub(super) paths: Vec<String>,
    /// Statements that put back what a table's own file has made.
    pub(super) statements: Vec<String>,
}

const WALK: &str = "with recursive found(classid, objid) as (
  select $1::text::regclass::oid, $2::oid
  union
  select m.classid, m.objid
  from found f
  join pg_depend d on d.refclassid = f.classid and d.refobjid = f.objid and d.deptype in ('n', 'a', 'i')
  left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
  left join pg_class v on v.oid = r.ev_class and v.relkind in ('v', 'm')
  cross join lateral (values (
    case when v.oid is null then d.classid else 'pg_class'::regclass::oid end,
    case when v.oid is null then d.objid else v.oid end)) m(classid, objid)
)
select
  case
    when p.prokind = 'p' then 'procedure'
    when p.oid is not null then 'function'
    when c.relkind in ('v', 'm') then 'view'
    when t.oid is not null then 'trigger'
    when y.oid is not null then 'policy'
  end as kind,
  case
    when p.oid is not null then p.pronamespace::regnamespace || '.' || p.proname
    when c.oid is not null then c.relnamespace::regnamespace || '.' || c.relname
    when t.oid is not null then t.tgname || ' on ' || tn.nspname || '.' || tc.relname
    when y.oid is not null then y.polname || ' on ' || yn.nspname || '.' || yc.relname
  end as name,
  pg_describe_object(f.classid, f.objid, 0) as description,
  case
    when t.oid is not null then pg_get_triggerdef(t.oid)
    when y.oid is not null then format('create policy %I on %I.%I as %s for %s to %s%s%s', y.polname, yn.nspname, yc.relname,
      case when y.polpermissive then 'permissive' else 'restrictive' end,
      case y.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      (select string_agg(case o.role when 0 then 'public' else quote_ident(pg_get_userbyid(o.role)) end, ', ') from unnest(y.polroles) o(role)),
      ' using (' || pg_get_expr(y.polqual, y.polrelid) || ')', ' with check (' || pg_get_expr(y.polwithcheck, y.polrelid) || ')')
    when a.attgenerated = '' then format('alter table %I.%I alter column %I set default %s', an.nspname, ac.relname, a.attname, pg_get_expr(e.adbin, e.adrelid))
  end as definition,
  (select n.nspname || '.' || o.relname from pg_class o join pg_namespace n on n.oid = o.relnamespace
   where o.oid = coalesce(pg_partition_root(h.oid), h.oid)) as on_table
from found f
left join pg_proc p on f.classid = 'pg_proc'::regclass and p.oid = f.objid
left join pg_class c on f.classid = 'pg_class'::regclass and c.oid = f.objid
left join pg_trigger t on f.classid = 'pg_trigger'::regclass and t.oid = f.objid
left join pg_class tc on tc.oid = t.tgrelid
left join pg_namespace tn on tn.oid = tc.relnamespace
left join pg_policy y on f.classid = 'pg_policy'::regclass and y.oid = f.objid
left join pg_class yc on yc.oid = y.polrelid
left join pg_namespace yn on yn.oid = yc.relnamespace
left join pg_attrdef e on f.classid = 'pg_attrdef'::regclass and e.oid = f.objid
left join pg_attribute a on a.attrelid = e.adrelid and a.attnum = e.adnum
left join pg_constraint k on f.classid = 'pg_constraint'::regclass and k.oid = f.objid
left join pg_index x on f.classid = 'pg_class'::regclass and x.indexrelid = f.objid
cross join lateral (select coalesce(t.tgrelid, y.polrelid, e.adrelid, k.conrelid, x.indrelid) as oid) h
left join pg_class ac on ac.oid = e.adrelid
left join pg_namespace an on an.oid = ac.relnamespace
where not (f.classid = $1::text::regclass and f.objid = $2)
  -- A view's row type goes with it, and a table's rules and partitioned triggers are parts of what is found already.
  and f.classid not in ('pg_type'::regclass)
  and coalesce(t.tgparentid, 0) = 0
order by 1, 2, 3";

/// Everything that goes with the target.
pub(super) async fn of(session: &Session<'_>, target: &Target) -> Result<Vec<Dependent>, Error> {
    let rows = session.query(WALK, &[&target.class, &target.oid]).await?;
    Ok(rows
        .iter()
        .map(|row| {
            let kind: Option<&str> = row.get(0);
            let name: Option<String> = row.get(1);
            Dependent {
                object: kind
                    .and_then(Kind::named)
                    .zip(name)
                    .map(|(kind, name)| Object::new(kind, name)),
                description: row.get(2),
                definition: row.get(3),
                table: row.get(4),
            }
        })
        .collect())
}

/// Decides what happens to each dependent, or says why the target cannot be dropped.
/// `can_be_applied_again` says of a path whether its file is one that only creates or replaces.
pub(super) fn judge(
    target: &Object,
    dependents: &[Dependent],
    books: &Books,
    can_be_applied_again: impl Fn(&str) -> bool,
) -> Result<Aftermath, Error> {
    let is_our_table = |dependent: &Dependent| {
        let table = dependent.table.as_ref();
        table.is_some_and(|name| books.objects.contains_key(&Object::new(Kind::Table, name)))
    };
    let mut aftermath = Aftermath::default();
    let mut foreign = Vec::new();
    for dependent in dependents {
        let entry = dependent
            .object
            .as_ref()
            .and_then(|object| books.objects.get(object));
        match (entry, &dependent.definition) {
            (Some(entry), _) if can_be_applied_again(&entry.path) => {
                aftermath.paths.push(entry.path.clone());
            }
            // Made by a table's own file, which is not applied twice; or a policy that install_storage_policies made
            // between two migrations.
            (Some(_), Some(definition)) => aftermath.statements.push(definition.clone()),
            (None, Some(definition)) if is_ours_by_name(dependent.object.as_ref()) => {
                aftermath.statements.push(definition.clone());
            }
            (None, Some(definition)) if dependent.object.is_none() && is_our_table(dependent) => {
                aftermath.statements.push(definition.clone());
            }
            (None, definition) if definition.is_some() || !is_our_table(dependent) => {
                foreign.push(dependent.description.clone());
            }
            _ => {
                return Err(Error::NeedsMigration {
                    target: target.to_string(),
                    dependent: dependent.description.clone(),
                });
            }
        }
    }
    match foreign.is_empty() {
        true => Ok(aftermath),
        false => Err(Error::Foreign {
            target: target.to_string(),
            dependents: foreign,
            way_out: "Drop them, run gristmill migrate, and create them again",
        }),
    }
}

fn is_ours_by_name(object: Option<&Object>) -> bool {
    object
        .is_some_and(|object| object.kind == Kind::Policy && object.name.starts_with("gristmill: "))
}

/// What depends directly on these objects and is not one of them; for the refusal of a removal.
pub(super) async fn strangers(
    session: &Session<'_>,
    blocked: &[Object],
    ours: &[Object],
) -> Result<Vec<String>, Error> {
    let list = |objects: &[Object]| {
        let names: Vec<_> = objects.iter().map(|object| literal(&object.name)).collect();
        names.join(", ")
    };
    let query = format!(
        "with blocked as (
           select 'pg_proc'::regclass::oid as class, p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
           where n.nspname || '.' || p.proname in ({blocked})
           union
           select 'pg_class'::regclass::oid, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname || '.' || c.relname in ({blocked})
           union
           select 'pg_type'::regclass::oid, t.oid from pg_type t join pg_namespace n on n.oid = t.typnamespace
           where n.nspname || '.' || t.typname in ({blocked})
         ), direct as (
           select distinct
             case when r.oid is null then d.classid else 'pg_class'::regclass::oid end as class,
             case when r.oid is null then d.objid else r.ev_class end as oid
           from blocked b
           join pg_depend d on d.refclassid = b.class and d.refobjid = b.oid and d.deptype = 'n'
           left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
         )
         select distinct pg_describe_object(d.class, d.oid, 0)
         from direct d
         left join pg_proc p on d.class = 'pg_proc'::regclass and p.oid = d.oid
         left join pg_class c on d.class = 'pg_class'::regclass and c.oid = d.oid
         left join pg_constraint k on d.class = 'pg_constraint'::regclass and k.oid = d.oid
         left join pg_trigger t on d.class = 'pg_trigger'::regclass and t.oid = d.oid
         left join pg_policy y on d.class = 'pg_policy'::regclass and y.oid = d.oid
         left join pg_attrdef e on d.class = 'pg_attrdef'::regclass and e.oid = d.oid
         left join pg_class h on h.oid = coalesce(k.conrelid, t.tgrelid, y.polrelid, e.adrelid)
         where coalesce(p.pronamespace::regnamespace || '.' || p.proname, c.relnamespace::regnamespace || '.' || c.relname,
             h.relnamespace::regnamespace || '.' || h.relname, '') not in ({ours})
           and d.class <> 'pg_type'::regclass
         order by 1",
        blocked = list(blocked),
        ours = list(ours)
    );
    Ok(session.texts(&query, &[]).await?)
}
