//! Why a migration did not happen. In every case the database is as it was before.

use tokio_postgres::error::SqlState;

use super::{choice, manifest};
use gristmill_native::database;

/// How [`Error::Taken`] begins; the script of `--sql` says the same.
pub(super) const TAKEN: &str = "these names are taken in this database, so nothing was installed:";

/// What to do about names that are taken.
pub(super) const fn way_out(can_move: bool) -> &'static str {
    match can_move {
        true => {
            "Install the application into a schema of its own with --schema NAME, or rename yours."
        }
        false => "Rename yours: these names are fixed, because callers use them.",
    }
}

/// Why a migration did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// The SQL files are not in order.
    #[error(transparent)]
    Manifest(#[from] manifest::Error),
    /// The command line asks for something impossible.
    #[error(transparent)]
    Choice(#[from] choice::Error),
    /// Nothing says which database.
    #[error("say which database: set GRISTMILL_DATABASE_URL, or give --database-url")]
    NoDatabase,
    /// `--sql` with options that need a database.
    #[error("--sql prints a script for an empty database; it goes with --with and --schema only")]
    SqlAlone,
    /// A statement failed outside the files.
    #[error("the migration could not be prepared or committed{}", place(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// A file failed.
    #[error("sql/{path} failed{}", place(.source))]
    Apply {
        /// Path below `sql/`.
        path: String,
        /// What Postgres said.
        #[source]
        source: tokio_postgres::Error,
    },
    /// A table file was edited after it had been applied.
    #[error(
        "sql/{0} has changed since it was applied to this database, and it makes tables. \
         Add a named migration for the change; a development database can be made anew with: ./scripts/dev --fresh"
    )]
    Changed(String),
    /// Made before the first release.
    #[error("this database was made by a development version before 0.1.0; make it anew")]
    Development,
    /// Made by a later release.
    #[error(
        "this database has had sql/{0}, which this version of gristmill does not know; use the version that migrated it, or a newer one"
    )]
    Newer(String),
    /// Names that are in use.
    #[error("{}\n{}\n{}", TAKEN, lines(.taken), .way_out)]
    Taken {
        /// Each object that is there and not ours.
        taken: Vec<String>,
        /// What to do.
        way_out: String,
    },
    /// Objects of a user stand in the way.
    #[error(
        "{target} has to be dropped, and objects that are not Gristmill's depend on it:\n{}\n{way_out}",
        lines(.dependents)
    )]
    Foreign {
        /// What has to go.
        target: String,
        /// What depends on it.
        dependents: Vec<String>,
        /// What to do.
        way_out: &'static str,
    },
    /// A table stands in the way of a new signature.
    #[error(
        "{target} has another signature now, and a table depends on the old one: {dependent}. \
         A named migration has to drop {target} together with that dependent, and to create the dependent again"
    )]
    NeedsMigration {
        /// What has to go.
        target: String,
        /// What depends on it.
        dependent: String,
    },
    /// No file has it any more, and it holds data.
    #[error(
        "{0} is no longer in sql/, but it is still in this database. A named migration has to drop it"
    )]
    StillThere(String),
    /// A removal without a yes.
    #[error("nothing was removed; to remove it, say so with --yes")]
    WouldLose,
    /// Others were in the way for too long.
    #[error(
        "{what} was in use without a pause for {seconds} s, so nothing was changed. \
         Look for long transactions with: select pid, xact_start, query from pg_stat_activity order by xact_start; \
         then try again, or stop writers for a moment with: gristmill maintenance on"
    )]
    Busy {
        /// A table, or a file.
        what: String,
        /// How long it was tried.
        seconds: u64,
        /// The last refusal.
        #[source]
        source: tokio_postgres::Error,
    },
    /// A table lock was not given in time. Tried again, and told as [`Error::Busy`] in the end.
    #[error("table {table} is in use")]
    Locked {
        /// The table.
        table: String,
        /// What Postgres said.
        #[source]
        source: tokio_postgres::Error,
    },
    /// A mistake in the files: they undo each other.
    #[error(
        "sql/{0} is dropped again and again by files that it depends on; its order in sql/manifest.txt is wrong"
    )]
    Circle(String),
}

impl Error {
    /// The exit code of the command.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::WouldLose => 3,
            _ => 1,
        }
    }

    /// Whether the same may work a moment later: somebody else held a lock, or changed the same row of the catalog.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Locked { .. } => true,
            Self::Postgres(source) | Self::Apply { source, .. } => passes(source),
            _ => false,
        }
    }

    /// The same, told as the end of patience.
    pub(super) fn after(self, seconds: u64) -> Self {
        match self {
            Self::Locked { table, source } => Self::Busy {
                what: format!("table {table}"),
                seconds,
                source,
            },
            Self::Apply { path, source } => Self::Busy {
                what: format!("what sql/{path} changes"),
                seconds,
                source,
            },
            Self::Postgres(source) => Self::Busy {
                what: "something that the migration changes".to_owned(),
                seconds,
                source,
            },
            other => other,
        }
    }
}

fn passes(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|db| {
        [
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
        ]
        .contains(db.code())
            || (*db.code() == SqlState::INTERNAL_ERROR
                && db.message().starts_with("tuple concurrently"))
    })
}

fn lines(items: &[String]) -> String {
    let lines: Vec<_> = items.iter().map(|item| format!("  {item}")).collect();
    lines.join("\n")
}

fn place(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(String::new, |db| {
        let hint = db
            .hint()
            .map(|hint| format!(" ({hint})"))
            .unwrap_or_default();
        format!(": {} {}{hint}", db.code().code(), db.message())
    })
}
