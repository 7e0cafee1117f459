//! The queries that read the schema. They run with an empty search path, so that every type comes
//! back qualified and means the same in any request's search path.

use std::collections::HashMap;

use tokio_postgres::{Client, Error, Row};

use gristmill_dialect::catalog::relationship::{Exposed, ForeignKey, View, relate};
use gristmill_dialect::catalog::{
    Argument, Catalog, Column, Function, Relation, Returns, Schema, TransactionSettings,
};

/// Function settings that must hold before the call begins; the others Postgres applies itself.
const HOISTED: [&str; 2] = ["statement_timeout", "default_transaction_isolation"];

/// Reads everything in one snapshot.
pub(super) async fn load(client: &mut Client, schemas: &[String]) -> Result<Catalog, Error> {
    let transaction = client
        .build_transaction()
        .read_only(true)
        .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
        .start()
        .await?;
    transaction
        .batch_execute("set local search_path = ''; set local statement_timeout = '30s'")
        .await?;
    let mut catalog = Catalog::default();
    for name in schemas {
        catalog.schemas.insert(name.clone(), Schema::default());
    }
    for row in transaction.query(FUNCTIONS, &[&schemas]).await? {
        add_function(&mut catalog.schemas, &row)?;
    }
    let mut exposed = Vec::new();
    for row in transaction.query(RELATIONS, &[&schemas]).await? {
        exposed.push(add_relation(&mut catalog.schemas, &row)?);
    }
    let mut keys = Vec::new();
    for row in transaction.query(FOREIGN_KEYS, &[]).await? {
        keys.push(ForeignKey {
            name: row.try_get("name")?,
            table: row.try_get("source")?,
            columns: row.try_get("columns")?,
            target: row.try_get("target")?,
            target_columns: row.try_get("target_columns")?,
        });
    }
    let mut views = HashMap::new();
    for row in transaction.query(VIEWS, &[]).await? {
        let definition: &str = row.try_get("definition")?;
        views.insert(row.try_get("oid")?, View::read(definition));
    }
    relate(&mut catalog.schemas, &exposed, &keys, &views);
    for row in transaction.query(ROLE_SETTINGS, &[]).await? {
        let role: String = row.try_get("role")?;
        let settings = catalog.roles.entry(role).or_default();
        settings.add(row.try_get("name")?, row.try_get("value")?);
    }
    transaction.commit().await?;
    Ok(catalog)
}

const FUNCTIONS: &str = "
select
  n.nspname::text as schema,
  p.proname::text as name,
  coalesce(p.proargnames, '{}') as argument_names,
  coalesce(p.proargmodes::text[], '{}') as argument_modes,
  array(
    select pg_catalog.format_type(a.type, null)
    from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as a (type, position)
    order by a.position
  ) as argument_types,
  (p.pronargs - p.pronargdefaults)::int as required,
  p.proretset as returns_set,
  t.typname = 'void' as returns_void,
  t.typtype = 'c' as returns_composite,
  (
    select c.relname::text from pg_catalog.pg_class c
    where c.oid = t.typrelid and c.relkind in ('r', 'v', 'm', 'p', 'f') and c.relnamespace = p.pronamespace
  ) as rows_of,
  p.provolatile = 'v' as volatile,
  coalesce(p.proconfig, '{}') as settings
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join pg_catalog.pg_type t on t.oid = p.prorettype
where n.nspname = any ($1)
  and p.prokind = 'f'
  and t.typname not in ('trigger', 'event_trigger')";

const RELATIONS: &str = "
select
  n.nspname::text as schema,
  c.relname::text as name,
  c.oid::bigint as oid,
  c.relkind in ('v', 'm') as is_view,
  array_agg(a.attnum order by a.attnum) as column_numbers,
  array_agg(a.attname::text order by a.attnum) as column_names,
  array_agg(pg_catalog.format_type(a.atttypid, a.atttypmod) order by a.attnum) as column_types,
  array_agg(
    case when a.attgenerated = '' then pg_catalog.pg_get_expr(d.adbin, d.adrelid) end
    order by a.attnum
  ) as column_defaults,
  array(
    select k.attname::text
    from pg_catalog.pg_index i
    cross join unnest(i.indkey) with ordinality as part (attnum, position)
    join pg_catalog.pg_attribute k on k.attrelid = c.oid and k.attnum = part.attnum
    where i.indrelid = c.oid and i.indisprimary
    order by part.position
  ) as primary_key,
  pg_catalog.pg_relation_is_updatable(c.oid, true) as updatable
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_catalog.pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relkind in ('r', 'v', 'm', 'p', 'f')
  and n.nspname = any ($1)
group by n.nspname, c.relname, c.oid";

/// Those of all schemas: a view may show a table that lies elsewhere.
const FOREIGN_KEYS: &str = "
select k.conname::text as name, k.conrelid::bigint as source, k.conkey as columns,
  k.confrelid::bigint as target, k.confkey as target_columns
from pg_catalog.pg_constraint k
join pg_catalog.pg_namespace n on n.oid = k.connamespace
where k.contype = 'f' and k.conparentid = 0 and n.nspname <> 'pg_catalog'
order by k.conname";

/// What views select, as Postgres keeps it.
const VIEWS: &str = "
select c.oid::bigint as oid, r.ev_action::text as definition
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')";

/// Settings of roles, of this database or of all, that an ordinary role may set for itself. Those of
/// this database come last and win.
const ROLE_SETTINGS: &str = "
select r.rolname::text as role, s.name as name, s.value as value
from pg_catalog.pg_db_role_setting d
join pg_catalog.pg_roles r on r.oid = d.setrole
cross join lateral (
  select split_part(entry, '=', 1) as name, substr(entry, strpos(entry, '=') + 1) as value
  from unnest(d.setconfig) as entry
) s
join pg_catalog.pg_settings known on known.name = s.name and known.context = 'user'
where d.setdatabase in (
  0, (select oid from pg_catalog.pg_database where datname = current_database())
)
  and s.name not in ('role', 'search_path', 'session_authorization')
order by d.setdatabase";

/// `pg_relation_is_updatable` answers with bits numbered by command.
const CAN_UPDATE: i32 = 1 << 2;
const CAN_INSERT: i32 = 1 << 3;
const CAN_DELETE: i32 = 1 << 4;

fn add_relation(schemas: &mut HashMap<String, Schema>, row: &Row) -> Result<Exposed, Error> {
    let names: Vec<String> = row.try_get("column_names")?;
    let numbers: Vec<i16> = row.try_get("column_numbers")?;
    let exposed = Exposed {
        schema: row.try_get("schema")?,
        name: row.try_get("name")?,
        oid: row.try_get("oid")?,
        is_view: row.try_get("is_view")?,
        columns: numbers.into_iter().zip(names.iter().cloned()).collect(),
    };
    let types: Vec<String> = row.try_get("column_types")?;
    let defaults: Vec<Option<String>> = row.try_get("column_defaults")?;
    let columns = names.into_iter().zip(types).zip(defaults);
    let updatable: i32 = row.try_get("updatable")?;
    let relation = Relation {
        columns: columns
            .map(|((name, sql_type), default)| Column {
                name,
                sql_type,
                default,
            })
            .collect(),
        primary_key: row.try_get("primary_key")?,
        insertable: updatable & CAN_INSERT != 0,
        updatable: updatable & CAN_UPDATE != 0,
        deletable: updatable & CAN_DELETE != 0,
        to_one: Vec::new(),
    };
    let schema = schemas.entry(row.try_get("schema")?).or_default();
    schema.relations.insert(row.try_get("name")?, relation);
    Ok(exposed)
}

fn add_function(schemas: &mut HashMap<String, Schema>, row: &Row) -> Result<(), Error> {
    let names: Vec<String> = row.try_get("argument_names")?;
    let modes: Vec<String> = row.try_get("argument_modes")?;
    let types: Vec<String> = row.try_get("argument_types")?;
    let required: i32 = row.try_get("required")?;
    let columns_named = modes
        .iter()
        .any(|mode| matches!(mode.as_str(), "o" | "b" | "t"));
    let composite: bool = row.try_get("returns_composite")?;
    let mut settings = TransactionSettings::default();
    for entry in row.try_get::<_, Vec<String>>("settings")? {
        match entry.split_once('=') {
            Some((name, value)) if HOISTED.contains(&name) => settings.add(name, value),
            _ => {}
        }
    }
    let function = Function {
        arguments: input_arguments(&names, &modes, types, required),
        returns: if row.try_get("returns_void")? {
            Returns::Nothing
        } else if composite || columns_named {
            Returns::Composite
        } else {
            Returns::Scalar
        },
        returns_set: row.try_get("returns_set")?,
        volatile: row.try_get("volatile")?,
        rows_of: row.try_get("rows_of")?,
        settings,
    };
    let schema = schemas.entry(row.try_get("schema")?).or_default();
    let overloads = schema.functions.entry(row.try_get("name")?).or_default();
    overloads.push(function);
    Ok(())
}

/// The arguments a caller gives: modes in, inout and variadic. No modes at all means all are in.
fn input_arguments(
    names: &[String],
    modes: &[String],
    types: Vec<String>,
    required: i32,
) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for (index, sql_type) in types.into_iter().enumerate() {
        let mode = modes.get(index).map_or("i", String::as_str);
        if !matches!(mode, "i" | "b" | "v") {
            continue;
        }
        arguments.push(Argument {
            name: names.get(index).cloned().unwrap_or_default(),
            sql_type,
            required: (arguments.len() as i64) < i64::from(required) && mode != "v",
            variadic: mode == "v",
        });
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn out_arguments_are_not_asked_of_the_caller() {
        let arguments = input_arguments(
            &list(&["a", "x", "b"]),
            &list(&["i", "o", "b"]),
            list(&["integer", "text", "uuid"]),
            2,
        );
        let names: Vec<_> = arguments.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(arguments.iter().all(|argument| argument.required));
    }

    #[test]
    fn arguments_with_defaults_and_variadic_ones_may_be_left_out() {
        let arguments = input_arguments(
            &list(&["a", "b", "c"]),
            &list(&["i", "i", "v"]),
            list(&["integer", "integer", "text[]"]),
            2,
        );
        let required: Vec<_> = arguments.iter().map(|a| a.required).collect();
        assert_eq!(required, [true, true, false]);
        assert!(arguments[2].variadic);
    }

    #[test]
    fn an_argument_may_have_no_name() {
        let arguments = input_arguments(&[], &[], list(&["jsonb"]), 1);
        assert_eq!(arguments[0].name, "");
        assert!(arguments[0].required);
    }
}
