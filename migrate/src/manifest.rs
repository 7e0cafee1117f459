//! Reads `sql/manifest.txt`: which parts exist, what each part needs, and the files of each part in order.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

static SQL: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../sql");

/// Makes the tables in which `migrate` keeps its books. Applied before all else; the manifest does not list it.
pub(super) const BOOKS: &str = include_str!("../../sql/platform/parts.sql");

/// Where the SQL files are read from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// The files that were compiled into this binary.
    Embedded,
    /// A folder with a `manifest.txt`, for tests.
    Folder(PathBuf),
}

impl Source {
    fn read(&self, path: &str) -> Option<String> {
        match self {
            Self::Embedded => SQL.get_file(path)?.contents_utf8().map(str::to_owned),
            Self::Folder(folder) => std::fs::read_to_string(Path::new(folder).join(path)).ok(),
        }
    }
}

/// When a file is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// When its part is installed: it makes tables, and making them twice would fail or lose data.
    Once,
    /// Again whenever its text changes: it only creates or replaces.
    Always,
    /// One time, and only on databases that had the part before: it changes tables after a release.
    Migration,
}

/// One file of `sql/`.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// Path below `sql/`.
    pub(super) path: String,
    /// When it is applied.
    pub(super) mode: Mode,
    /// Its text, as written.
    pub(super) text: String,
}

impl File {
    /// SHA-256 of the text, in hexadecimal.
    pub(super) fn checksum(&self) -> String {
        checksum(&self.text)
    }
}

/// SHA-256 of a text, in hexadecimal.
pub(super) fn checksum(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// How a part comes to be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Always.
    Base,
    /// When a user names it.
    Application,
    /// When an installed part needs it.
    Library,
    /// When all parts that it needs are installed.
    Joint,
}

/// A part: a folder of `sql/` that is installed or removed as one.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its name, which is also its folder.
    pub(super) name: String,
    /// How it comes to be installed.
    pub(super) kind: Kind,
    /// The parts that it needs beside the base parts.
    pub(super) needs: Vec<String>,
    /// Its files in order.
    pub(super) files: Vec<File>,
}

impl Part {
    /// The compatible names are what callers already have in their code, so they cannot move to another schema. The access to
    /// objects is one for all applications, wherever they lie.
    pub(super) fn insists_on_public(&self) -> bool {
        self.kind == Kind::Base
            || self.kind == Kind::Joint
            || matches!(self.name.as_str(), "compat" | "files")
    }
}

/// All parts in order.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    /// In the order in which they are installed.
    pub(super) parts: Vec<Part>,
}

/// A manifest that is not in order: a mistake in the build or in a folder given by `--sql-dir`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no manifest.
    #[error("sql/manifest.txt is missing")]
    NoManifest,
    /// A line has none of the known forms.
    #[error(
        "sql/manifest.txt line {0} is not understood; expected 'part NAME KIND [needs PART…]', 'once PATH', 'always PATH' or 'migration PATH': {1}"
    )]
    Line(usize, String),
    /// A file stands before the first part.
    #[error("sql/manifest.txt line {0} lists a file before the first 'part' line: {1}")]
    NoPart(usize, String),
    /// A listed file does not exist or is not UTF-8.
    #[error("sql/manifest.txt lists {0}, which is missing")]
    NoFile(String),
    /// Two lines name the same file or part.
    #[error("sql/manifest.txt lists {0} two times")]
    Twice(String),
    /// A part needs one that is not above it.
    #[error("sql/manifest.txt: part {part} needs {needed}, which no line above it declares")]
    NeedsUnknown {
        /// Who needs it.
        part: String,
        /// What is missing.
        needed: String,
    },
}

impl Manifest {
    /// Reads the manifest and every file that it lists.
    pub(super) fn load(source: &Source) -> Result<Self, Error> {
        let text = source.read("manifest.txt").ok_or(Error::NoManifest)?;
        Self::parse(&text, |path| source.read(path))
    }

    fn parse(text: &str, read: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let mut parts: Vec<Part> = Vec::new();
        let mut paths = HashSet::new();
        for (number, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let wrong = || Error::Line(number + 1, line.trim().to_owned());
            let mode = match words.as_slice() {
                [] => continue,
                [first, ..] if first.starts_with('#') => continue,
                ["part", name, kind, rest @ ..] => {
                    let part = part(name, kind, rest).ok_or_else(wrong)?;
                    check_part(&parts, &part)?;
                    parts.push(part);
                    continue;
                }
                ["once", _] => Mode::Once,
                ["always", _] => Mode::Always,
                ["migration", _] => Mode::Migration,
                _ => return Err(wrong()),
            };
            let path = words[1].to_owned();
            let Some(part) = parts.last_mut() else {
                return Err(Error::NoPart(number + 1, path));
            };
            if !paths.insert(path.clone()) {
                return Err(Error::Twice(path));
            }
            let text = read(&path).ok_or_else(|| Error::NoFile(path.clone()))?;
            part.files.push(File { path, mode, text });
        }
        Ok(Self { parts })
    }

    /// The part of that name.
    pub(super) fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// Every file with its part, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Part, &File)> {
        self.parts
            .iter()
            .flat_map(|part| part.files.iter().map(move |file| (part, file)))
    }
}

fn part(name: &str, kind: &str, rest: &[&str]) -> Option<Part> {
    let kind = match kind {
        "base" => Kind::Base,
        "application" => Kind::Application,
        "library" => Kind::Library,
        "joint" => Kind::Joint,
        _ => return None,
    };
    let needs = match rest {
        [] => &[],
        ["needs", needs @ ..] if !needs.is_empty() => needs,
        _ => return None,
    };
    Some(Part {
        name: name.to_owned(),
        kind,
        needs: needs.iter().map(|&need| need.to_owned()).collect(),
        files: Vec::new(),
    })
}

fn check_part(above: &[Part], part: &Part) -> Result<(), Error> {
    if above.iter().any(|other| other.name == part.name) {
        return Err(Error::Twice(part.name.clone()));
    }
    let missing = part
        .needs
        .iter()
        .find(|need| !above.iter().any(|other| other.name == **need));
    match missing {
        None => Ok(()),
        Some(needed) => Err(Error::NeedsUnknown {
            part: part.name.clone(),
            needed: needed.clone(),
        }),
    }
}

#[cfg(test)]
pub(super) fn of(text: &str) -> Manifest {
    Manifest::parse(text, |path| Some(format!("-- {path}\n"))).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements;

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
    fn every_sql_file_is_in_the_manifest() {
        let manifest = Manifest::load(&Source::Embedded).unwrap();
        let listed: HashSet<_> = manifest
            .files()
            .map(|(_, file)| file.path.clone())
            .collect();
        let mut present = HashSet::new();
        sql_files(&SQL, &mut present);
        // The relay installs its own two files, the books come before the manifest, and the dump is for review.
        present.retain(|path| {
            !path.starts_with("relay/") && path != "platform/parts.sql" && path != "schema.sql"
        });
        assert_eq!(present, listed);
    }

    #[test]
    fn only_tables_files_are_applied_once() {
        let manifest = Manifest::load(&Source::Embedded).unwrap();
        for (_, file) in manifest.files() {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            assert_eq!(
                ["tables.sql", "data_tables.sql"].contains(&name),
                file.mode == Mode::Once,
                "{}",
                file.path
            );
        }
    }

    #[test]
    fn no_two_files_declare_the_same_routine_or_view() {
        let manifest = Manifest::load(&Source::Embedded).unwrap();
        let mut seen = std::collections::HashMap::new();
        for (_, file) in manifest.files().filter(|(_, f)| f.mode == Mode::Always) {
            for statement in statements::of(&file.text) {
                if let Some(object) = statement.creates() {
                    let other = seen.insert(object.clone(), file.path.clone());
                    assert_eq!(other, None, "{object} is declared again by {}", file.path);
                }
            }
        }
    }

    #[test]
    fn a_manifest_has_parts_with_kinds_needs_and_files() {
        let manifest = of(
            "# c\npart a base\nonce a/tables.sql\npart b library\npart c application needs b\nalways c/f.sql\nmigration migrations/0002_x.sql\n",
        );
        let c = manifest.part("c").unwrap();
        assert_eq!(
            (c.kind, c.needs.as_slice()),
            (Kind::Application, &["b".to_owned()][..])
        );
        let modes: Vec<_> = manifest.files().map(|(_, file)| file.mode).collect();
        assert_eq!(modes, [Mode::Once, Mode::Always, Mode::Migration]);
    }

    #[test]
    fn a_manifest_that_is_not_in_order_is_refused() {
        let read = |_: &str| Some(String::new());
        for text in [
            "once a.sql",
            "part a base\nsometimes a.sql",
            "part a base\nonce a.sql\nonce a.sql",
            "part a base\npart a base",
            "part a application needs b\npart b library",
            "part a strange",
        ] {
            assert!(Manifest::parse(text, read).is_err(), "{text}");
        }
    }
}
