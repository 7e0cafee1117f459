//! Runs one job's command on a connection of its own, as pg_cron does with background workers off.
//!
//! The command goes as one simple query outside any transaction, so `CALL proc()` may COMMIT.

use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use tokio_postgres::error::DbError;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::job::{Job, Outcome};
use gristmill_native::database::{self, Config};

/// pg_cron's limit for a connection to be made.
const START_WITHIN: Duration = Duration::from_secs(10);

/// A connection on which a job's command may be run.
pub(super) struct Session {
    client: Client,
    /// Its backend's process id.
    pub(super) pid: i32,
}

/// Where and as whom jobs run.
#[derive(Clone)]
pub(super) struct Runner {
    config: Config,
    impersonate: bool,
}

impl Runner {
    pub(super) fn new(config: &Config, impersonate: bool) -> Self {
        let mut config = config.clone();
        config.application_name("gristmill cron");
        Self {
            config,
            impersonate,
        }
    }

    /// Connects to the job's database as the job's user.
    pub(super) async fn open(&self, job: &Job) -> Result<Session, Outcome> {
        match tokio::time::timeout(START_WITHIN, self.connect(job)).await {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(error)) => Err(Outcome::Failed(format!("connection failed: {error}"))),
            Err(_) => Err(Outcome::Failed("connection timeout".to_owned())),
        }
    }

    /// A switched role can be switched back by the command itself, so unless told otherwise the relay
    /// connects as the user, without a password, as pg_cron does.
    async fn connect(&self, job: &Job) -> Result<Session, String> {
        let mut config = self.config.clone();
        config.dbname(&job.database);
        let own = config.get_user() == Some(job.username.as_str());
        if !own && !self.impersonate {
            config.user(&job.username).password("");
        }
        let (client, _messages) =
            database::connect(&config)
                .await
                .map_err(|error| match error {
                    database::Error::Connect { source, .. } => describe(&source),
                    other => other.to_string(),
                })?;
        let described = |error: tokio_postgres::Error| describe(&error);
        // If the relay is killed the command must not go on unseen: the next relay would start it again.
        // Servers on systems without the means refuse the setting, which is as good as not having it.
        let _ = client
            .batch_execute("set client_connection_check_interval = '1s'")
            .await;
        let row = client
            .query_one("select pg_backend_pid()", &[])
            .await
            .map_err(described)?;
        let pid = row.try_get(0).map_err(described)?;
        if !own && self.impersonate {
            client
                .batch_execute(&format!(
                    "set session authorization {}",
                    quoted(&job.username)
                ))
                .await
                .map_err(described)?;
        }
        Ok(Session { client, pid })
    }
}

impl Session {
    /// Runs the command to its end. Dropping the future leaves the command running: see `cancel`.
    pub(super) async fn run(&self, command: &str) -> Outcome {
        match self.execute(command).await {
            Ok(message) => Outcome::Succeeded(message),
            Err(error) => Outcome::Failed(describe(&error)),
        }
    }

    /// What pg_cron would say of the last statement: its row count, or its tag.
    async fn execute(&self, command: &str) -> Result<String, tokio_postgres::Error> {
        // A stream, because the rows are counted and never kept.
        let mut messages = pin!(self.client.simple_query_raw(command).await?);
        let mut returns_rows = false;
        let mut said = String::new();
        while let Some(message) = messages.try_next().await? {
            match message {
                SimpleQueryMessage::RowDescription(_) => returns_rows = true,
                SimpleQueryMessage::CommandComplete(count) => {
                    said = if returns_rows {
                        rows(count)
                    } else {
                        tag(command, count)
                    };
                    returns_rows = false;
                }
                _ => {}
            }
        }
        Ok(said)
    }

    /// Asks the server to end the command.
    pub(super) async fn cancel(&self, config: &Runner) {
        let token = self.client.cancel_token();
        if database::cancel(&config.config, token).await.is_err() {
            tracing::debug!(
                "a cancelled command could not be told; closing its connection will do"
            );
        }
    }
}

fn rows(count: u64) -> String {
    match count {
        1 => "1 row".to_owned(),
        many => format!("{many} rows"),
    }
}

/// The command's tag. The driver keeps the count and drops the word, so the word is the last
/// statement's own first one: exact for what jobs are made of.
fn tag(command: &str, count: u64) -> String {
    let last = command
        .trim_end_matches(|c: char| c == ';' || c.is_whitespace())
        .rsplit(';')
        .next()
        .unwrap_or_default();
    let word = last
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    match word.as_str() {
        "INSERT" => format!("INSERT 0 {count}"),
        "UPDATE" | "DELETE" | "MERGE" | "COPY" => format!("{word} {count}"),
        _ => word,
    }
}

/// An error as psql and pg_cron print it.
fn describe(error: &tokio_postgres::Error) -> String {
    let Some(db) = error.as_db_error() else {
        return if error.is_closed() {
            "connection lost".to_owned()
        } else {
            error.to_string()
        };
    };
    lines(db)
}

fn lines(db: &DbError) -> String {
    let mut text = format!("{}:  {}\n", db.severity(), db.message());
    for (label, line) in [
        ("DETAIL", db.detail()),
        ("HINT", db.hint()),
        ("CONTEXT", db.where_()),
    ] {
        if let Some(line) = line {
            text.push_str(&format!("{label}:  {line}\n"));
        }
    }
    text
}

fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_the_last_statement() {
        assert_eq!(tag("insert into t values (1);", 1), "INSERT 0 1");
        assert_eq!(tag("select 1; Delete from t ; ", 7), "DELETE 7");
        assert_eq!(tag("CALL mill.pump()", 0), "CALL");
        assert_eq!(tag("vacuum(analyze) t", 0), "VACUUM");
        assert_eq!(tag("", 0), "");
    }

    #[test]
    fn a_user_name_cannot_leave_its_quotes() {
        assert_eq!(quoted("a\"; drop role b; --"), "\"a\"\"; drop role b; --\"");
    }
}
