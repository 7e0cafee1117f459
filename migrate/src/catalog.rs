//! Reads Postgres' own catalog: what exists, and which names are taken.

use std::collections::{BTreeSet, HashSet};

use super::books::Books;
use super::error::Error;
use super::object::{Kind, Object};
use super::session::Session;
use super::statements::Statement;

/// A routine of a name.
pub(super) struct Routine {
    pub(super) oid: u32,
    pub(super) kind: Kind,
    /// The argument types, as `drop` wants them.
    pub(super) arguments: String,
}

/// All routines of that name.
pub(super) async fn routines(session: &Session<'_>, name: &str) -> Result<Vec<Routine>, Error> {
    let rows = session
        .query(
            "select p.oid, p.prokind = 'p', pg_get_function_identity_arguments(p.oid)
             from pg_proc p join pg_namespace n on n.oid = p.pronamespace
             where n.nspname || '.' || p.proname = $1 and n.nspname = split_part($1, '.', 1)",
            &[&name],
        )
        .await?;
    Ok(rows
        .iter()
        .map(|row| Routine {
            oid: row.get(0),
            kind: match row.get(1) {
                true => Kind::Procedure,
                false => Kind::Function,
            },
            arguments: row.get(2),
        })
        .collect())
}

/// The view of that name.
pub(super) async fn view(session: &Session<'_>, name: &str) -> Result<Option<u32>, Error> {
    let rows = session
        .query(
            "select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where n.nspname || '.' || c.relname = $1 and c.relkind in ('v', 'm')",
            &[&name],
        )
        .await?;
    Ok(rows.first().map(|row| row.get(0)))
}

/// Whether the object is there, whatever kind of relation or routine it is.
pub(super) async fn exists(session: &Session<'_>, object: &Object) -> Result<bool, Error> {
    let query = match object.kind {
        Kind::Function | Kind::Procedure => {
            "select from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname || '.' || p.proname = $1"
        }
        Kind::Trigger => {
            "select from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
             where t.tgname || ' on ' || n.nspname || '.' || c.relname = $1"
        }
        Kind::Policy => {
            "select from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
             where p.polname || ' on ' || n.nspname || '.' || c.relname = $1"
        }
        Kind::Constraint => {
            "select from pg_constraint t join pg_class c on c.oid = t.conrelid join pg_namespace n on n.oid = c.relnamespace
             where t.conname || ' on ' || n.nspname || '.' || c.relname = $1"
        }
        Kind::Column => {
            "select from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
             where a.attname || ' on ' || n.nspname || '.' || c.relname = $1 and not a.attisdropped"
        }
        Kind::Schema => "select from pg_namespace where nspname = $1",
        Kind::Table | Kind::View | Kind::Index | Kind::Sequence | Kind::Type => {
            "select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname || '.' || c.relname = $1
             union all
             select from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname || '.' || t.typname = $1"
        }
    };
    Ok(session.finds(query, &[&object.name]).await?)
}

/// Every routine and relation that exists in these schemas, by class and name: one query, because a fresh installation
/// asks for hundreds of names.
pub(super) async fn names(
    session: &Session<'_>,
    schemas: &BTreeSet<String>,
) -> Result<HashSet<(bool, String)>, Error> {
    let schemas: Vec<&str> = schemas.iter().map(String::as_str).collect();
    let rows = session
        .query(
            "select true, n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any ($1)
             union
             select false, n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = any ($1)
             union
             select false, n.nspname || '.' || t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname = any ($1)",
            &[&schemas],
        )
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Which of the objects that these statements create exist already and are not ours.
pub(super) fn taken<'a>(
    statements: impl IntoIterator<Item = &'a Statement>,
    there: &HashSet<(bool, String)>,
    books: &Books,
) -> Vec<Object> {
    let created = statements.into_iter().filter_map(Statement::creates);
    let mut taken: Vec<_> = created
        .filter(|object| object.kind.is_routine() || object.kind.is_relation())
        .filter(|object| there.contains(&(object.kind.is_routine(), object.name.clone())))
        .filter(|object| !books.has_name_of(object))
        .cloned()
        .collect();
    taken.sort();
    taken.dedup();
    taken
}
