//! The SQL that this binary carries, in the order of `sql/manifest.txt`.

use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

static SQL: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../sql");

/// When a file is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// One time: it makes tables, and making them twice would fail or lose data.
    Once,
    /// Again whenever its text changes: it only creates or replaces.
    Always,
}

/// One file of `sql/`.
#[derive(Debug, Clone, Copy)]
pub(super) struct File {
    /// Path below `sql/`.
    pub(super) path: &'static str,
    /// When it is applied.
    pub(super) mode: Mode,
    /// Its text.
    pub(super) text: &'static str,
}

impl File {
    /// SHA-256 of the text, in hexadecimal.
    pub(super) fn checksum(&self) -> String {
        Sha256::digest(self.text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// A manifest that does not fit the folder: a mistake in the build, found by this module's tests.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The manifest itself was not embedded.
    #[error("sql/manifest.txt is missing from this build")]
    NoManifest,
    /// A line is neither a comment nor `once PATH` nor `always PATH`.
    #[error("sql/manifest.txt has a line that is neither 'once PATH' nor 'always PATH': {0}")]
    Line(&'static str),
    /// A listed file does not exist or is not UTF-8.
    #[error("sql/manifest.txt lists {0}, which is missing from this build")]
    NoFile(&'static str),
}

/// Every file in order.
pub(super) fn all() -> Result<Vec<File>, Error> {
    let manifest = SQL
        .get_file("manifest.txt")
        .and_then(|file| file.contents_utf8())
        .ok_or(Error::NoManifest)?;
    manifest
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (mode, path) = match line.split_once(char::is_whitespace) {
                Some(("once", path)) => (Mode::Once, path.trim()),
                Some(("always", path)) => (Mode::Always, path.trim()),
                _ => return Err(Error::Line(line)),
            };
            let text = SQL
                .get_file(path)
                .and_then(|file| file.contents_utf8())
                .ok_or(Error::NoFile(path))?;
            Ok(File { path, mode, text })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn sql_files(dir: &Dir<'static>, found: &mut HashSet<String>) {
        for file in dir
            .files()
            .filter(|file| file.path().extension().is_some_and(|e| e == "sql"))
        {
            found.insert(file.path().display().to_string());
        }
        dir.dirs().for_each(|dir| sql_files(dir, found));
    }

    #[test]
    fn every_sql_file_is_in_the_manifest_once() {
        let listed: Vec<_> = all()
            .unwrap()
            .iter()
            .map(|file| file.path.to_owned())
            .collect();
        let distinct: HashSet<_> = listed.iter().cloned().collect();
        assert_eq!(listed.len(), distinct.len());

        let mut present = HashSet::new();
        sql_files(&SQL, &mut present);
        // The relay installs its own two files.
        present.retain(|path| !path.starts_with("relay/"));
        assert_eq!(present, distinct);
    }

    #[test]
    fn only_tables_files_are_applied_once() {
        for file in all().unwrap() {
            assert_eq!(
                file.path.ends_with("tables.sql"),
                file.mode == Mode::Once,
                "{}",
                file.path
            );
        }
    }
}
