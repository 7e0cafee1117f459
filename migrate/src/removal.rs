//! Removes parts: says first what would be lost, then ends their jobs, deletes their rows and drops their objects.
//!
//! Nothing is dropped by cascade. The objects of the parts are dropped in rounds: what something else still needs waits for
//! the next round. A round without progress means that a stranger depends on what is left, and the removal is refused.

use std::collections::{HashMap, HashSet};

use tokio_postgres::error::SqlState;

use super::books::Books;
use super::catalog;
use super::choice::Choice;
use super::dependents;
use super::error::Error;
use super::locks::{self, Manner, Tables};
use super::manifest::Manifest;
use super::object::{Kind, Object, literal, quoted, quoted_word};
use super::session::Session;
use super::statements::Strength;

/// The objects of parts that go, with the paths of their files.
pub(super) struct Removal {
    parts: Vec<String>,
    paths: HashSet<String>,
    objects: Vec<Object>,
    /// The argument types of our routines: one of the same name with others is a user's.
    arguments: HashMap<Object, String>,
}

impl Removal {
    /// From the books: files of a release before may have made objects too.
    pub(super) fn new(manifest: &Manifest, books: &Books, choice: &Choice) -> Self {
        let is_removed = |part: &str| choice.removed.iter().any(|name| name == part);
        let mut paths: HashSet<String> = manifest
            .files()
            .filter(|(part, _)| is_removed(&part.name))
            .map(|(_, file)| file.path.clone())
            .collect();
        let booked = books.objects.values().map(|entry| &entry.path);
        let gone = booked
            .chain(books.files.keys())
            .filter(|path| part_of_gone(manifest, path).is_some_and(is_removed));
        paths.extend(gone.cloned());
        let mut objects: Vec<_> = books
            .objects
            .iter()
            .filter(|(_, entry)| paths.contains(&entry.path))
            .map(|(object, _)| object.clone())
            .collect();
        objects.sort();
        let arguments = objects.iter().filter_map(|object| {
            let entry = books.objects.get(object)?;
            Some((object.clone(), entry.arguments.clone()?))
        });
        let arguments = arguments.collect();
        Self {
            // What needs others goes before them.
            parts: choice.removed.iter().rev().cloned().collect(),
            paths,
            objects,
            arguments,
        }
    }

    /// One line for each thing that would be lost.
    pub(super) async fn losses(&self, session: &Session<'_>) -> Result<Vec<String>, Error> {
        let mut losses = Vec::new();
        for table in self
            .objects
            .iter()
            .filter(|object| object.kind == Kind::Table)
        {
            if !catalog::exists(session, table).await? {
                continue;
            }
            let query = format!("select count(*) from {}", quoted(&table.name));
            let rows = session.query(&query, &[]).await?;
            let count: i64 = rows.first().map_or(0, |row| row.get(0));
            losses.push(format!("{table}: {}", super::count(count, "row")));
        }
        losses.extend(self.live_jobs(session).await?);
        Ok(losses)
    }

    async fn live_jobs(&self, session: &Session<'_>) -> Result<Vec<String>, Error> {
        let counts = "select where to_regprocedure('mill.live_jobs_of_part(text)') is not null";
        if !session.finds(counts, &[]).await? {
            return Ok(Vec::new());
        }
        let rows = session
            .query(
                "select l.queue, sum(l.jobs)::bigint from unnest($1::text[]) p(part), mill.live_jobs_of_part(p.part) l
                 where l.jobs > 0 group by 1 order by 1",
                &[&self.parts],
            )
            .await?;
        let line =
            |queue: String, jobs: i64| format!("queue {queue}: {}", super::count(jobs, "live job"));
        Ok(rows
            .iter()
            .map(|row| line(row.get(0), row.get(1)))
            .collect())
    }

    /// Removes it all.
    pub(super) async fn run(
        &self,
        session: &mut Session<'_>,
        books: &mut Books,
        choice: &Choice,
        manner: &Manner,
    ) -> Result<(), Error> {
        let mut tables = Tables::default();
        for object in &self.objects {
            match object.name.rsplit_once(" on ") {
                Some((_, table)) => tables.add(table, Strength::AccessExclusive),
                None if object.kind == Kind::Table => {
                    tables.add(&object.name, Strength::AccessExclusive)
                }
                None => {}
            }
        }
        locks::take(session, tables, manner).await?;
        let forgets = "select where to_regprocedure('mill.forget_part(text)') is not null";
        if session.finds(forgets, &[]).await? {
            for part in &self.parts {
                session.note(&format!("the rows of {part}"));
                session
                    .run(&format!("select mill.forget_part({})", literal(part)))
                    .await?;
            }
        }
        session.note(&format!("the objects of {}", self.parts.join(", ")));
        self.drop_objects(session).await?;
        self.forget(session, books).await?;
        self.close_schemas(session, books, choice).await
    }

    async fn drop_objects(&self, session: &mut Session<'_>) -> Result<(), Error> {
        let mut left = self.objects.clone();
        while !left.is_empty() {
            let mut blocked = Vec::new();
            for object in &left {
                let arguments = self.arguments.get(object).map(String::as_str);
                if !try_drop(session, object, arguments).await? {
                    blocked.push(object.clone());
                }
            }
            // Tables with foreign keys to each other go together.
            if blocked.len() == left.len() && !drop_tables_together(session, &blocked).await? {
                let mut strangers = dependents::strangers(session, &blocked, &self.objects).await?;
                if strangers.is_empty() {
                    strangers.push("something that Gristmill could not name".to_owned());
                }
                return Err(Error::Foreign {
                    target: blocked[0].to_string(),
                    dependents: strangers,
                    way_out: "Drop them first, or keep the application.",
                });
            }
            if blocked.len() == left.len() {
                blocked.retain(|object| object.kind != Kind::Table);
            }
            left = blocked;
        }
        Ok(())
    }

    async fn forget(&self, session: &mut Session<'_>, books: &mut Books) -> Result<(), Error> {
        let list = |items: Vec<&String>| {
            let quoted: Vec<_> = items.into_iter().map(|item| literal(item)).collect();
            quoted.join(", ")
        };
        let mut paths: Vec<_> = self.paths.iter().collect();
        paths.sort();
        let paths = list(paths);
        let parts = list(self.parts.iter().collect());
        session.note("the books");
        let mut sql = format!("delete from mill.part where part in ({parts});\n");
        if !paths.is_empty() {
            sql.push_str(&format!(
                "delete from mill.object where path in ({paths});\ndelete from mill.migration where path in ({paths});\n"
            ));
        }
        session.run(&sql).await?;
        books
            .objects
            .retain(|_, entry| !self.paths.contains(&entry.path));
        books.files.retain(|path, _| !self.paths.contains(path));
        books.parts.retain(|part, _| !self.parts.contains(part));
        Ok(())
    }

    /// Drops a schema that was made for these parts, if nothing is left in it.
    async fn close_schemas(
        &self,
        session: &mut Session<'_>,
        books: &mut Books,
        choice: &Choice,
    ) -> Result<(), Error> {
        let ours: Vec<_> = books
            .objects
            .keys()
            .filter(|object| object.kind == Kind::Schema)
            .filter(|object| !choice.parts.values().any(|part| part.schema == object.name))
            .cloned()
            .collect();
        for schema in ours {
            let sql = format!("drop schema if exists {}", quoted_word(&schema.name));
            if attempt(session, &sql).await? {
                let name = literal(&schema.name);
                let forget =
                    format!("delete from mill.object where kind = 'schema' and name = {name}");
                session.run(&forget).await?;
                books.objects.remove(&schema);
            }
        }
        Ok(())
    }
}

/// The part of a file that this version no longer has: that of the innermost folder, because a joint part lies in the folder
/// of another.
fn part_of_gone<'a>(manifest: &'a Manifest, path: &str) -> Option<&'a str> {
    if manifest.files().any(|(_, file)| file.path == path) {
        return None;
    }
    let names = manifest.parts.iter().map(|part| part.name.as_str());
    names
        .filter(|name| {
            path.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('/'))
        })
        .max_by_key(|name| name.len())
}

async fn try_drop(
    session: &mut Session<'_>,
    object: &Object,
    arguments: Option<&str>,
) -> Result<bool, Error> {
    if object.kind.is_routine() {
        for routine in catalog::routines(session, &object.name).await? {
            if arguments.is_some_and(|ours| ours != routine.arguments) {
                continue;
            }
            let (kind, name) = (routine.kind.as_str(), quoted(&object.name));
            let sql = format!("drop {kind} {name}({})", routine.arguments);
            if !attempt(session, &sql).await? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    // The table of a trigger, constraint or column may be gone already, and the object with it.
    if !catalog::exists(session, object).await? {
        return Ok(true);
    }
    attempt(session, &object.drop_statement()).await
}

async fn drop_tables_together(
    session: &mut Session<'_>,
    blocked: &[Object],
) -> Result<bool, Error> {
    let tables: Vec<_> = blocked
        .iter()
        .filter(|object| object.kind == Kind::Table)
        .map(|object| quoted(&object.name))
        .collect();
    if tables.len() < 2 {
        return Ok(false);
    }
    attempt(
        session,
        &format!("drop table if exists {}", tables.join(", ")),
    )
    .await
}

/// Runs a drop in a savepoint; false when something depends on the object.
async fn attempt(session: &mut Session<'_>, sql: &str) -> Result<bool, Error> {
    let tried = format!("savepoint gristmill;\n{sql};\nrelease savepoint gristmill");
    match session.quietly(&tried).await {
        Ok(()) => {
            session.keep(sql);
            Ok(true)
        }
        Err(error) if error.code() == Some(&SqlState::DEPENDENT_OBJECTS_STILL_EXIST) => {
            session.quietly("rollback to savepoint gristmill").await?;
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;

    #[test]
    fn a_gone_file_belongs_to_the_innermost_folder() {
        let manifest = manifest::of(
            "part exports application\nalways exports/f.sql\npart compat application\npart compat/exports joint needs compat exports\n",
        );
        for (path, part) in [
            ("exports/old.sql", Some("exports")),
            ("exports/deep/old.sql", Some("exports")),
            ("compat/old.sql", Some("compat")),
            ("compat/exports/old.sql", Some("compat/exports")),
            ("exports/f.sql", None),
            ("exports_of_mine/old.sql", None),
            ("", None),
        ] {
            assert_eq!(part_of_gone(&manifest, path), part, "{path}");
        }
    }
}
