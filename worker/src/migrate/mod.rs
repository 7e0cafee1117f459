//! `gristmill migrate`: brings a database to the schema in `sql/`.
//!
//! Everything happens in one transaction under an advisory lock, so that it can be run twice, by two
//! processes at once, or be killed, and leaves either the old schema or the new one.

mod files;

use std::collections::HashMap;

use tokio_postgres::Transaction;

use crate::database;
use files::{File, Mode};

/// Arguments of `gristmill migrate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Only say what would be applied; exits 0 either way
    #[arg(long)]
    pub dry_run: bool,
}

/// Why a migration did not happen. The database is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// This build is broken.
    #[error(transparent)]
    Files(#[from] files::Error),
    /// A statement failed outside the files.
    #[error("the migration could not be prepared or committed")]
    Postgres(#[from] tokio_postgres::Error),
    /// A file failed.
    #[error("sql/{path} failed{}", place(.source))]
    Apply {
        /// Path below `sql/`.
        path: &'static str,
        /// What Postgres said.
        #[source]
        source: tokio_postgres::Error,
    },
    /// A table file was edited after it had been applied.
    #[error(
        "sql/{0} has changed since it was applied to this database, and it makes tables. \
         Add a migration for the change; a development database can be made anew with: ./scripts/dev --fresh"
    )]
    Changed(&'static str),
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

/// Runs the command.
pub async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill migrate")?;
    let (mut client, _) = database::connect(&config).await?;
    let applied = migrate(&mut client, args.dry_run).await?;
    let verb = if args.dry_run {
        "would be applied"
    } else {
        "applied"
    };
    if applied.is_empty() {
        println!("{}: up to date", database::host(&config));
    } else {
        println!(
            "{}: {} {verb}",
            database::host(&config),
            count(applied.len(), "file")
        );
        applied.iter().for_each(|path| println!("  {path}"));
    }
    Ok(())
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Applies what is missing or changed and returns the paths of those files.
pub async fn migrate(
    client: &mut tokio_postgres::Client,
    dry_run: bool,
) -> Result<Vec<&'static str>, Error> {
    let files = files::all()?;
    let transaction = client.transaction().await?;
    transaction
        .batch_execute(
            "set local lock_timeout = '30s';
             select pg_advisory_xact_lock(7022311640271841);
             create schema if not exists mill;
             create table if not exists mill.migration (
               path text primary key,
               checksum text not null,
               applied_at timestamptz not null default now())",
        )
        .await?;
    let known = recorded(&transaction).await?;

    let mut applied = Vec::new();
    for file in files {
        if is_due(&file, known.get(file.path))? {
            apply(&transaction, &file).await?;
            applied.push(file.path);
        }
    }
    if dry_run {
        transaction.rollback().await?;
    } else {
        enable_extensions(&transaction).await?;
        transaction
            .batch_execute("select mill.install_schedules(); notify pgrst, 'reload schema'")
            .await?;
        transaction.commit().await?;
    }
    Ok(applied)
}

async fn recorded(transaction: &Transaction<'_>) -> Result<HashMap<String, String>, Error> {
    let rows = transaction
        .query("select path, checksum from mill.migration", &[])
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

fn is_due(file: &File, recorded: Option<&String>) -> Result<bool, Error> {
    match recorded {
        None => Ok(true),
        Some(checksum) if *checksum == file.checksum() => Ok(false),
        Some(_) if file.mode == Mode::Always => Ok(true),
        Some(_) => Err(Error::Changed(file.path)),
    }
}

async fn apply(transaction: &Transaction<'_>, file: &File) -> Result<(), Error> {
    transaction
        .batch_execute(file.text)
        .await
        .map_err(|source| Error::Apply {
            path: file.path,
            source,
        })?;
    transaction
        .execute(
            "insert into mill.migration (path, checksum) values ($1, $2)
             on conflict (path) do update set checksum = excluded.checksum, applied_at = now()",
            &[&file.path, &file.checksum()],
        )
        .await?;
    Ok(())
}

/// Switches on pg_net and pg_cron where the server offers them: each must be preloaded, and pg_cron
/// lives in one database only.
async fn enable_extensions(transaction: &Transaction<'_>) -> Result<(), Error> {
    transaction
        .batch_execute(
            "do $$
             begin
               if current_setting('cron.database_name', true) = current_database() then
                 create extension if not exists pg_cron;
               end if;
               if current_setting('shared_preload_libraries') ~ '\\mpg_net\\M' then
                 create extension if not exists pg_net;
               end if;
             exception when insufficient_privilege then
               raise warning 'pg_cron or pg_net is available; ask an administrator to create the extension';
             end $$",
        )
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: File = File {
        path: "a/tables.sql",
        mode: Mode::Once,
        text: "select 1",
    };
    const FUNCTION: File = File {
        path: "a/f.sql",
        mode: Mode::Always,
        text: "select 1",
    };

    #[test]
    fn an_unchanged_file_is_not_applied_again() {
        assert!(!is_due(&TABLES, Some(&TABLES.checksum())).unwrap());
        assert!(!is_due(&FUNCTION, Some(&FUNCTION.checksum())).unwrap());
    }

    #[test]
    fn a_changed_function_is_applied_again_and_a_changed_table_file_is_refused() {
        let other = String::from("another checksum");
        assert!(is_due(&FUNCTION, Some(&other)).unwrap());
        assert!(matches!(
            is_due(&TABLES, Some(&other)),
            Err(Error::Changed("a/tables.sql"))
        ));
    }
}
