//! What `migrate` writes down about a database: its parts, the applied files, and the objects that the files have made.

use std::collections::{BTreeMap, HashMap};

use super::choice::Installed;
use super::error::Error;
use super::manifest::{self, File};
use super::object::{Kind, Object, literal};
use super::session::Session;
use super::statements::{self, Statement};

/// An object in the books.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The file that made it.
    pub(super) path: String,
    /// A routine's argument types.
    pub(super) arguments: Option<String>,
    /// Of the statement that made a trigger or policy.
    pub(super) checksum: Option<String>,
}

/// The books, read once at the beginning.
#[derive(Debug, Default)]
pub(super) struct Books {
    /// The installed parts.
    pub(super) parts: BTreeMap<String, Installed>,
    /// Path and checksum of each applied file.
    pub(super) files: HashMap<String, String>,
    /// Every object that is ours.
    pub(super) objects: HashMap<Object, Entry>,
}

/// True when the database has books; an error when it is too old to have them.
pub(super) async fn exist(session: &Session<'_>) -> Result<bool, Error> {
    let rows = session
        .query(
            "select to_regclass('mill.migration') is not null, to_regclass('mill.part') is not null",
            &[],
        )
        .await?;
    let found = rows.first().map(|row| (row.get(0), row.get(1)));
    match found {
        Some((true, false)) => Err(Error::Development),
        Some((_, has_books)) => Ok(has_books),
        None => Ok(false),
    }
}

impl Books {
    pub(super) async fn read(session: &Session<'_>) -> Result<Self, Error> {
        let parts = session
            .query("select part, schema, asked from mill.part", &[])
            .await?;
        let files = session
            .query("select path, checksum from mill.migration", &[])
            .await?;
        let objects = session
            .query(
                "select kind, name, path, arguments, checksum from mill.object",
                &[],
            )
            .await?;
        Ok(Self {
            parts: parts
                .iter()
                .map(|row| {
                    let (schema, asked) = (row.get(1), row.get(2));
                    (row.get(0), Installed { schema, asked })
                })
                .collect(),
            files: files.iter().map(|row| (row.get(0), row.get(1))).collect(),
            objects: objects
                .iter()
                .filter_map(|row| {
                    let object = Object::new(Kind::named(row.get(0))?, row.get::<_, String>(1));
                    let entry = Entry {
                        path: row.get(2),
                        arguments: row.get(3),
                        checksum: row.get(4),
                    };
                    // Development versions of 0.1.0 wrote down what a DO block had made, and with it what users made meanwhile.
                    let is_sure = entry.checksum.is_some()
                        || !matches!(object.kind, Kind::Trigger | Kind::Policy);
                    is_sure.then_some((object, entry))
                })
                .collect(),
        })
    }

    /// A routine or relation of that name that is ours, whatever its kind: a release may make a procedure of a function.
    pub(super) fn has_name_of(&self, object: &Object) -> bool {
        let related = |kind: Kind| {
            kind == object.kind
                || (kind.is_routine() && object.kind.is_routine())
                || (kind.is_relation() && object.kind.is_relation())
        };
        self.objects
            .keys()
            .any(|other| other.name == object.name && related(other.kind))
    }
}

/// What the text of a file says that it makes. Indexes and the like of its own tables are left out: they go with them.
pub(super) fn declared(statements: &[Statement]) -> Vec<(Object, Option<String>)> {
    let own_tables: Vec<&str> = statements
        .iter()
        .filter_map(Statement::creates)
        .filter(|object| object.kind == Kind::Table)
        .map(|object| object.name.as_str())
        .collect();
    let belongs_to_own = |statement: &Statement, object: &Object| match object.kind {
        Kind::Index => statement
            .locks
            .iter()
            .any(|(table, _)| own_tables.contains(&table.as_str())),
        Kind::Constraint | Kind::Column => object
            .name
            .rsplit_once(" on ")
            .is_some_and(|(_, table)| own_tables.contains(&table)),
        _ => false,
    };
    let mut found = Vec::new();
    for statement in statements {
        for object in statement.makes() {
            if !belongs_to_own(statement, object) {
                found.push((object.clone(), fingerprint(statement)));
            }
        }
    }
    found
}

/// The checksum of a statement that makes a trigger or policy: those that did not change are not made again, because that
/// would lock their tables.
pub(super) fn fingerprint(statement: &Statement) -> Option<String> {
    statement
        .creates()
        .filter(|object| matches!(object.kind, Kind::Trigger | Kind::Policy))
        .map(|_| manifest::checksum(&statement.text))
}

/// The statements that write down an applied file.
pub(super) fn record(file: &File, objects: &[(Object, Option<String>)]) -> String {
    let mut sql = format!(
        "insert into mill.migration (path, checksum) values ({}, {})\n\
         on conflict (path) do update set checksum = excluded.checksum, applied_at = now();\n\
         delete from mill.object where path = {};\n",
        literal(&file.path),
        literal(&file.checksum()),
        literal(&file.path)
    );
    sql.push_str(&record_objects(&file.path, objects));
    sql
}

/// The statement that writes down objects of a file.
pub(super) fn record_objects(path: &str, objects: &[(Object, Option<String>)]) -> String {
    if objects.is_empty() {
        return String::new();
    }
    let path = literal(path);
    let mut seen = std::collections::HashSet::new();
    let rows: Vec<_> = objects
        .iter()
        .filter(|(object, _)| seen.insert(object))
        .map(|(object, checksum)| {
            let checksum = checksum
                .as_deref()
                .map_or_else(|| "null".to_owned(), literal);
            let (kind, name) = (object.kind.as_str(), literal(&object.name));
            format!("('{kind}', {name}, {path}, {checksum})")
        })
        .collect();
    format!(
        "insert into mill.object (kind, name, path, checksum) values\n  {}\n\
         on conflict (kind, name) do update set path = excluded.path, checksum = excluded.checksum;\n",
        rows.join(",\n  ")
    )
}

/// The statement that writes down a part.
pub(super) fn record_part(name: &str, part: &Installed) -> String {
    format!(
        "insert into mill.part (part, schema, asked) values ({}, {}, {})\non conflict (part) do update set asked = excluded.asked;\n",
        literal(name),
        literal(&part.schema),
        part.asked
    )
}

/// Notes the argument types of our routines; what is not there any more has none.
pub(super) const RECORD_ARGUMENTS: &str = "update mill.object o
set arguments = p.arguments
from (
  select n.nspname || '.' || p.proname as name, min(pg_get_function_identity_arguments(p.oid)) as arguments
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  group by 1 having count(*) = 1
) p
where o.kind in ('function', 'procedure') and o.name = p.name and o.arguments is distinct from p.arguments;\n";

/// Makes the schema that `--schema` names and opens it to the roles of callers.
pub(super) fn open_schema(schema: &str, is_new: bool) -> String {
    let mut sql = String::new();
    if is_new {
        sql.push_str(&format!("create schema if not exists {schema};\n"));
        let object = Object::new(Kind::Schema, schema);
        sql.push_str(&record_objects("", &[(object, None)]));
    }
    sql
}

/// The grant that makes a schema reachable; the roles are there once the part `platform` is.
pub(super) fn grant_schema(schema: &str) -> String {
    format!("grant usage on schema {schema} to anon, authenticated, service_role;\n")
}

/// The statements of a file, with its names in their places.
pub(super) fn statements_of(file: &File, places: &super::place::Places) -> Vec<Statement> {
    statements::of(&places.put(&file.text))
}
