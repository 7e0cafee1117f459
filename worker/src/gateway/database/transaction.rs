//! One request, one transaction, one round trip.
//!
//! Begin, settings, the statement and commit are sent together; Postgres answers them in order. The
//! commit is held back only where the number of rows may still refuse the request. Once the
//! outcome is known the transaction has ended, whatever it was, and the connection can go back.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{join3, join4};
use tokio::sync::oneshot;
use tokio_postgres::{Error, Row};

use super::connection::Connection;
use super::pool::{Lease, Pool};
use super::statement::{Form, Known, Sql};
use crate::gateway::refusal::{DatabaseError, Refusal};

/// What a request wants of Postgres.
pub(crate) struct Transaction {
    pub(crate) access: Access,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) role: String,
    pub(crate) authenticated: bool,
    /// `select set_config(...)`, which ends in the switch to `role`.
    pub(crate) settings: Sql,
    /// Answers with one row: body, rows, total, response.headers, response.status.
    pub(crate) statement: Sql,
    /// An `explain` whose estimate stands in for the total.
    pub(crate) estimate: Option<Sql>,
    pub(crate) check: RowCheck,
}

/// Whether the transaction may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    ReadOnly,
    ReadWrite,
}

/// Other than read committed, asked for by a role's or a function's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    RepeatableRead,
    Serializable,
}

impl Isolation {
    /// The level of that name; read committed and unknown names need no saying.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "repeatable read" => Some(Self::RepeatableRead),
            "serializable" => Some(Self::Serializable),
            _ => None,
        }
    }
}

/// What the number of rows must be for the transaction to be committed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowCheck {
    pub(crate) singular: bool,
    pub(crate) max_affected: Option<i64>,
    /// PUT: the payload must have been the row that the URL names.
    pub(crate) exactly_one: bool,
}

impl RowCheck {
    fn may_refuse(self) -> bool {
        self.singular || self.exactly_one || self.max_affected.is_some()
    }

    fn refuse(self, rows: i64) -> Result<(), Refusal> {
        if self.exactly_one && rows != 1 {
            return Err(Refusal::PutMismatch);
        }
        if self.singular && rows != 1 {
            return Err(Refusal::NotSingular(rows));
        }
        match self.max_affected {
            Some(most) if rows > most => Err(Refusal::MaxAffected(rows)),
            _ => Ok(()),
        }
    }
}

/// What Postgres answered.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) body: Bytes,
    pub(crate) rows: i64,
    pub(crate) total: Option<i64>,
    pub(crate) headers: Option<String>,
    pub(crate) status: Option<String>,
    /// The plan's JSON, when an estimate was asked for.
    pub(crate) estimate: Option<String>,
}

/// Runs the transaction. When the caller goes away, which drops this future, the query is
/// cancelled and the connection cleaned or closed.
pub(crate) async fn run(pool: &Arc<Pool>, work: Transaction) -> Result<Outcome, Refusal> {
    let lease = pool.acquire().await?;
    let (answer, answered) = oneshot::channel();
    // A task of its own: dropping a future half way must not leave a transaction half way.
    tokio::spawn(execute(lease, work, answer, pool.clone()));
    answered.await.unwrap_or(Err(Refusal::ConnectionLost))
}

async fn execute(
    mut lease: Lease,
    work: Transaction,
    mut answer: oneshot::Sender<Result<Outcome, Refusal>>,
    pool: Arc<Pool>,
) {
    let Ok(connection) = lease.connection() else {
        return;
    };
    let finished = tokio::select! {
        biased;
        finished = transact(connection, &work) => Some(finished),
        () = answer.closed() => None,
    };
    let Some(finished) = finished else {
        let cancelled = &pool.metrics.cancelled;
        cancelled.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if connection.interrupt().await {
            lease.keep();
        }
        return;
    };
    let result = match finished {
        Ok(outcome) => {
            lease.keep();
            Ok(outcome)
        }
        Err(Failure::Refused(refusal)) => {
            lease.keep();
            Err(refusal)
        }
        Err(Failure::Postgres(error)) => {
            if ended_cleanly(&error) {
                lease.keep();
            }
            Err(refusal(&error, work.authenticated))
        }
    };
    // The client may have left a moment ago; its transaction has ended all the same.
    let _ = answer.send(result);
}

enum Failure {
    Postgres(Error),
    /// Rolled back already.
    Refused(Refusal),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Postgres(error)
    }
}

async fn transact(connection: &mut Connection, work: &Transaction) -> Result<Outcome, Failure> {
    let settings = settings_form(connection, &work.settings).await?;
    let client = &connection.client;
    let begin = begin_command(work.access, work.isolation);
    let known = connection
        .prepared
        .look_up(&work.role, &work.statement.text);

    let form = match known {
        Known::New => Form::Once,
        Known::Prepared(statement) => Form::Prepared(statement),
        Known::SeenBefore => {
            // Preparing needs the role's rights on names, so it happens inside the transaction:
            // the one time that a statement takes two round trips.
            let (begun, set, prepared) = join3(
                client.batch_execute(begin),
                settings.query(client, &work.settings),
                client.prepare(&work.statement.text),
            )
            .await;
            let prepared = begun.and(set.map(drop)).and(prepared);
            let statement = match prepared {
                Ok(statement) => statement,
                Err(error) => return Err(rolled_back(connection, error).await),
            };
            let prepared = &mut connection.prepared;
            prepared.insert(&work.role, &work.statement.text, Some(statement.clone()));
            let form = Form::Prepared(statement);
            return finish(connection, &form, work, std::future::ready(Ok(()))).await;
        }
    };
    let opening = async {
        let (begun, set) = futures_util::future::join(
            client.batch_execute(begin),
            settings.query(client, &work.settings),
        )
        .await;
        begun.and(set.map(drop))
    };
    finish(connection, &form, work, opening).await
}

/// The statement, the estimate and the commit, behind `opening` if that has not been sent yet.
async fn finish(
    connection: &Connection,
    form: &Form,
    work: &Transaction,
    opening: impl Future<Output = Result<(), Error>>,
) -> Result<Outcome, Failure> {
    let client = &connection.client;
    let estimate = async {
        match &work.estimate {
            Some(sql) => Form::Once.query(client, sql).await.map(Some),
            None => Ok(None),
        }
    };
    let hold = work.check.may_refuse();
    let commit = async {
        if hold {
            return Ok(());
        }
        client.batch_execute("commit").await
    };
    // Polled in this order, so sent in this order, before any answer is waited for.
    let (opened, rows, estimate, committed) = join4(
        opening,
        form.query(client, &work.statement),
        estimate,
        commit,
    )
    .await;
    let answered = opened
        .and(rows)
        .and_then(|rows| Ok((outcome(&rows)?, estimate?)))
        .and_then(|answered| committed.map(|()| answered));
    let (mut outcome, estimate) = match answered {
        Ok(answered) => answered,
        Err(error) if hold => return Err(rolled_back(connection, error).await),
        Err(error) => return Err(error.into()),
    };
    outcome.estimate = estimate.and_then(|rows| rows.first()?.try_get(0).ok());
    if hold {
        if let Err(refusal) = work.check.refuse(outcome.rows) {
            client.batch_execute("rollback").await?;
            return Err(Failure::Refused(refusal));
        }
        client.batch_execute("commit").await?;
    }
    Ok(outcome)
}

/// The settings run with the login role's rights, before the switch.
async fn settings_form(connection: &mut Connection, settings: &Sql) -> Result<Form, Error> {
    const LOGIN: &str = "";
    Ok(match connection.prepared.look_up(LOGIN, &settings.text) {
        Known::New => Form::Once,
        Known::Prepared(statement) => Form::Prepared(statement),
        Known::SeenBefore => {
            let statement = connection.client.prepare(&settings.text).await?;
            let kept = Some(statement.clone());
            connection.prepared.insert(LOGIN, &settings.text, kept);
            Form::Prepared(statement)
        }
    })
}

/// Ends a transaction that failed with its commit still held back.
async fn rolled_back(connection: &Connection, error: Error) -> Failure {
    match connection.client.batch_execute("rollback").await {
        Ok(()) => Failure::Postgres(error),
        // The connection is lost, which the caller sees from this error and not from the first.
        Err(lost) => Failure::Postgres(lost),
    }
}

/// What an earlier request may have left in the session (a plain `set`, `set role`, a temporary
/// table) goes before the statement runs; its local settings went with its own transaction. Temporary
/// tables come after `begin`: discarding takes a snapshot, after which no isolation level can be set.
fn begin_command(access: Access, isolation: Option<Isolation>) -> &'static str {
    macro_rules! begin {
        ($mode:literal) => {
            concat!("reset role; reset all; begin ", $mode, "; discard temp")
        };
    }
    match (access, isolation) {
        (Access::ReadOnly, None) => begin!("read only"),
        (Access::ReadWrite, None) => begin!("read write"),
        (Access::ReadOnly, Some(Isolation::RepeatableRead)) => {
            begin!("isolation level repeatable read, read only")
        }
        (Access::ReadWrite, Some(Isolation::RepeatableRead)) => {
            begin!("isolation level repeatable read, read write")
        }
        (Access::ReadOnly, Some(Isolation::Serializable)) => {
            begin!("isolation level serializable, read only")
        }
        (Access::ReadWrite, Some(Isolation::Serializable)) => {
            begin!("isolation level serializable, read write")
        }
    }
}

fn outcome(rows: &[Row]) -> Result<Outcome, Error> {
    let Some(row) = rows.first() else {
        // The statement aggregates, so there is always a row.
        return Ok(Outcome {
            body: Bytes::new(),
            rows: 0,
            total: None,
            headers: None,
            status: None,
            estimate: None,
        });
    };
    let body: Option<&str> = row.try_get(0)?;
    Ok(Outcome {
        body: Bytes::copy_from_slice(body.unwrap_or_default().as_bytes()),
        rows: row.try_get(1)?,
        total: row.try_get(2)?,
        headers: row.try_get(3)?,
        status: row.try_get(4)?,
        estimate: None,
    })
}

/// An error of the statement ends its transaction; an error of the connection leaves doubt.
fn ended_cleanly(error: &Error) -> bool {
    use tokio_postgres::error::Severity;
    let fatal = [Some(Severity::Fatal), Some(Severity::Panic)];
    error
        .as_db_error()
        .is_some_and(|error| !fatal.contains(&error.parsed_severity()))
}

fn refusal(error: &Error, authenticated: bool) -> Refusal {
    match error.as_db_error() {
        Some(reported) => Refusal::Database(Box::new(DatabaseError::new(
            reported.clone(),
            authenticated,
        ))),
        None => {
            tracing::warn!(%error, "a request's connection was lost");
            Refusal::ConnectionLost
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_check_refuses_what_it_is_told_to() {
        let singular = RowCheck {
            singular: true,
            ..RowCheck::default()
        };
        assert!(singular.refuse(1).is_ok());
        assert!(matches!(singular.refuse(2), Err(Refusal::NotSingular(2))));
        let bounded = RowCheck {
            max_affected: Some(3),
            ..RowCheck::default()
        };
        assert!(bounded.refuse(3).is_ok());
        assert!(matches!(bounded.refuse(4), Err(Refusal::MaxAffected(4))));
        assert!(!RowCheck::default().may_refuse());
    }

    #[test]
    fn every_transaction_begins_by_forgetting_the_session() {
        for access in [Access::ReadOnly, Access::ReadWrite] {
            for isolation in [None, Isolation::named("serializable")] {
                assert!(begin_command(access, isolation).starts_with("reset role; reset all;"));
            }
        }
    }
}
