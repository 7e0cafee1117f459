//! Works out which files a database is missing, by comparing checksums. Nothing is run for that.

use super::books::Books;
use super::choice::Choice;
use super::error::Error;
use super::manifest::{File, Manifest, Mode, Part};

/// Why a file is to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// A named migration that this database has not had.
    Migration,
    /// The file was never applied.
    New,
    /// Its text has changed.
    Changed,
    /// Only written down: a migration whose result the fresh part already has, or a table file whose change a migration makes.
    Adopted,
}

/// A file that is not up to date.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due<'a> {
    pub(super) part: &'a Part,
    pub(super) file: &'a File,
    pub(super) why: Why,
}

/// Every file that is not up to date, in the order of the manifest.
pub(super) fn find<'a>(
    manifest: &'a Manifest,
    books: &Books,
    choice: &Choice,
) -> Result<Vec<Due<'a>>, Error> {
    if let Some(path) = books.files.keys().find(|path| {
        path.starts_with("migrations/") && !manifest.files().any(|(_, file)| file.path == **path)
    }) {
        return Err(Error::Newer(path.clone()));
    }
    let mut due = Vec::new();
    for part in &manifest.parts {
        if !choice.parts.contains_key(&part.name) {
            continue;
        }
        let is_new = choice.added.contains(&part.name);
        let is_missing = |file: &&File| !books.files.contains_key(&file.path);
        let mut migrations = part
            .files
            .iter()
            .filter(|file| file.mode == Mode::Migration);
        let is_migrated = !is_new && migrations.any(|file| is_missing(&file));
        for file in &part.files {
            let why = match (file.mode, books.files.get(&file.path)) {
                (Mode::Migration, None) if is_new => Some(Why::Adopted),
                (Mode::Migration, None) => Some(Why::Migration),
                // A migration that was applied is history.
                (Mode::Migration, Some(_)) => None,
                (_, None) => Some(Why::New),
                (_, Some(checksum)) if *checksum == file.checksum() => None,
                (Mode::Always, Some(_)) => Some(Why::Changed),
                (Mode::Once, Some(_)) if is_migrated => Some(Why::Adopted),
                (Mode::Once, Some(_)) => return Err(Error::Changed(file.path.clone())),
            };
            due.extend(why.map(|why| Due { part, file, why }));
        }
    }
    Ok(due)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::{self, Asked};
    use crate::manifest;

    fn whys(text: &str, books: &Books) -> Result<Vec<(String, Why)>, Error> {
        let manifest = manifest::of(text);
        let choice = choice::choose(&manifest, &books.parts, &Asked::default()).unwrap();
        let due = find(&manifest, books, &choice)?;
        Ok(due
            .iter()
            .map(|due| (due.file.path.clone(), due.why))
            .collect())
    }

    /// The books of a database that has had these files, with the checksums of another text where `changed` says so.
    fn books(text: &str, changed: &[&str]) -> Books {
        let manifest = manifest::of(text);
        let choice = choice::choose(&manifest, &Default::default(), &Asked::default()).unwrap();
        let files = manifest.files().map(|(_, file)| {
            let checksum = match changed.contains(&file.path.as_str()) {
                true => "another".to_owned(),
                false => file.checksum(),
            };
            (file.path.clone(), checksum)
        });
        Books {
            files: files.collect(),
            parts: choice.parts,
            ..Books::default()
        }
    }

    const FIRST: &str = "part a base\nonce a/tables.sql\nalways a/f.sql\n";
    const SECOND: &str =
        "part a base\nonce a/tables.sql\nalways a/f.sql\nmigration migrations/2.sql\n";

    #[test]
    fn an_unchanged_file_is_not_due() {
        assert_eq!(whys(FIRST, &books(FIRST, &[])).unwrap(), []);
    }

    #[test]
    fn a_changed_function_is_due_and_a_changed_table_file_is_refused() {
        let due = whys(FIRST, &books(FIRST, &["a/f.sql"])).unwrap();
        assert_eq!(due, [("a/f.sql".to_owned(), Why::Changed)]);
        assert!(matches!(
            whys(FIRST, &books(FIRST, &["a/tables.sql"])),
            Err(Error::Changed(_))
        ));
    }

    #[test]
    fn a_migration_makes_the_change_of_its_table_file_good() {
        let due = whys(SECOND, &books(FIRST, &["a/tables.sql"])).unwrap();
        assert_eq!(
            due,
            [
                ("a/tables.sql".to_owned(), Why::Adopted),
                ("migrations/2.sql".to_owned(), Why::Migration)
            ]
        );
    }

    #[test]
    fn a_fresh_installation_only_writes_migrations_down() {
        let due = whys(SECOND, &Books::default()).unwrap();
        assert_eq!(due[2], ("migrations/2.sql".to_owned(), Why::Adopted));
    }

    #[test]
    fn a_database_that_is_ahead_is_refused() {
        assert!(matches!(
            whys(FIRST, &books(SECOND, &[])),
            Err(Error::Newer(_))
        ));
    }
}
