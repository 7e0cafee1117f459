//! A row of `cron.job`, and the relay's statements on the schema.

use std::fmt;

use chrono::{DateTime, Utc};
use tokio_postgres::Client;

/// `cron.job.jobid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct JobId(pub(super) i64);

/// `cron.job_run_details.runid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RunId(pub(super) i64);

/// An active job.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) id: JobId,
    pub(super) schedule: String,
    pub(super) command: String,
    pub(super) database: String,
    pub(super) username: String,
}

/// The command stays out: it may hold what belongs in no log.
impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Job")
            .field("id", &self.id)
            .field("schedule", &self.schedule)
            .finish_non_exhaustive()
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// With the command's tag, or the number of its rows.
    Succeeded(String),
    /// With the error.
    Failed(String),
}

/// The connection that reads jobs and keeps the history of their runs.
pub(super) struct History {
    client: Client,
}

impl History {
    pub(super) async fn new(client: Client) -> Result<Self, tokio_postgres::Error> {
        client
            .batch_execute("set statement_timeout = '30s'")
            .await?;
        Ok(Self { client })
    }

    /// The active jobs, and what the database's clock says: nobody else's counts.
    pub(super) async fn jobs(&self) -> Result<(Vec<Job>, DateTime<Utc>), tokio_postgres::Error> {
        let rows = self
            .client
            .query(
                "select jobid, schedule, command, database, username from cron.job where active",
                &[],
            )
            .await?;
        let jobs = rows
            .iter()
            .map(|row| {
                Ok(Job {
                    id: JobId(row.try_get(0)?),
                    schedule: row.try_get(1)?,
                    command: row.try_get(2)?,
                    database: row.try_get(3)?,
                    username: row.try_get(4)?,
                })
            })
            .collect::<Result<_, tokio_postgres::Error>>()?;
        let clock = self
            .client
            .query_one("select clock_timestamp()", &[])
            .await?;
        Ok((jobs, clock.try_get(0)?))
    }

    /// Ends runs that a relay or a server left behind. Only one relay serves, so they are nobody's.
    pub(super) async fn close_abandoned(&self) -> Result<u64, tokio_postgres::Error> {
        self.client
            .execute(
                "update cron.job_run_details \
                 set status = 'failed', return_message = 'server restarted', end_time = clock_timestamp() \
                 where status in ('starting', 'connecting', 'sending', 'running')",
                &[],
            )
            .await
    }

    /// Opens the record of a run.
    pub(super) async fn starting(&self, job: &Job) -> Result<RunId, tokio_postgres::Error> {
        let row = self
            .client
            .query_one(
                "insert into cron.job_run_details (jobid, database, username, command, status) \
                 values ($1, $2, $3, $4, 'starting') returning runid",
                &[&job.id.0, &job.database, &job.username, &job.command],
            )
            .await?;
        Ok(RunId(row.try_get(0)?))
    }

    /// The command is under way in the given backend.
    pub(super) async fn running(&self, run: RunId, pid: i32) -> Result<(), tokio_postgres::Error> {
        self.client
            .execute(
                "update cron.job_run_details \
                 set status = 'running', job_pid = $2, start_time = clock_timestamp() where runid = $1",
                &[&run.0, &pid],
            )
            .await?;
        Ok(())
    }

    /// The run is over.
    pub(super) async fn ended(
        &self,
        run: RunId,
        outcome: &Outcome,
    ) -> Result<(), tokio_postgres::Error> {
        let (status, message) = match outcome {
            Outcome::Succeeded(tag) => ("succeeded", tag),
            Outcome::Failed(error) => ("failed", error),
        };
        self.client
            .execute(
                "update cron.job_run_details \
                 set status = $2, return_message = $3, end_time = clock_timestamp() where runid = $1",
                &[&run.0, &status, message],
            )
            .await?;
        Ok(())
    }

    /// Deletes one batch of old runs; true when there may be more.
    pub(super) async fn prune(&self, keep: &str) -> Result<bool, tokio_postgres::Error> {
        let deleted = self
            .client
            .execute(
                "delete from cron.job_run_details where runid = any (array( \
                   select d.runid from cron.job_run_details d \
                   where d.end_time < now() - $1::text::interval limit 500))",
                &[&keep],
            )
            .await?;
        Ok(deleted == 500)
    }
}
