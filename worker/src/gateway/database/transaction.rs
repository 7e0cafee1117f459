//! One request, one transaction, one round trip.
//!
//! Settings and statement are sent together and commit together at the synchronisation point behind
//! them. An explicit transaction is begun only where the commit must be held back, because the
//! number of rows may still refuse the request, or where an isolation level is asked for.

use std::io;
use std::sync::Arc;

use super::connection::Connection;
use super::pool::{Lease, Pool};
use super::request::{Isolation, Outcome, Transaction};
use super::server_error::ServerError;
use super::wire::{Reply, State};
use crate::gateway::refusal::{DatabaseError, Refusal};

/// Runs the transaction. When the caller goes away, which drops this future, the query is
/// cancelled and the connection cleaned or closed.
pub(crate) async fn run(pool: &Arc<Pool>, work: Transaction) -> Result<Outcome, Refusal> {
    let mut busy = Busy(Some(pool.acquire().await?));
    let finished = match busy.connection() {
        Some(connection) => transact(connection, &work).await,
        None => Err(Failure::Connection(io::ErrorKind::NotConnected.into())),
    };
    let Some(mut lease) = busy.0.take() else {
        return Err(Refusal::ConnectionLost);
    };
    let result = match finished {
        Ok(outcome) => Ok(outcome),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(Failure::Connection(error)) => {
            tracing::warn!(%error, "a request's connection was lost");
            return Err(Refusal::ConnectionLost);
        }
        Err(Failure::Server(error)) => {
            let ends_session = error.ends_session;
            let error = DatabaseError::new(error, work.authenticated);
            let refusal = Refusal::Database(Box::new(error));
            if ends_session {
                return Err(refusal);
            }
            Err(refusal)
        }
    };
    // The server's own word is what lets a connection go back.
    if lease.connection()?.state() == State::Idle {
        lease.keep();
    }
    result
}

/// A lease whose transaction is under way. Dropped in that state, because the client left, it is
/// cleaned by a task of its own: what was half way must not stay so.
struct Busy(Option<Lease>);

impl Busy {
    fn connection(&mut self) -> Option<&mut Connection> {
        self.0.as_mut()?.connection().ok()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let Some(mut lease) = self.0.take() else {
            return;
        };
        lease.count_cancelled();
        // Without a runtime the process is ending, and the lease's drop closes the connection.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Ok(connection) = lease.connection()
                    && connection.interrupt().await
                {
                    lease.keep();
                }
            });
        }
    }
}

enum Failure {
    Server(ServerError),
    Connection(io::Error),
    /// Rolled back already.
    Refused(Refusal),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

async fn transact(connection: &mut Connection, work: &Transaction) -> Result<Outcome, Failure> {
    let holds = work.check.may_refuse();
    let is_explicit = holds || work.isolation.is_some();

    connection.make_room()?;
    if is_explicit {
        connection.queue_command(begin(work.isolation))?;
    }
    connection.queue_command(FORGET)?;
    connection.queue_often("", &work.settings)?;
    connection.queue(&work.role, &work.statement)?;
    if let Some(estimate) = &work.estimate {
        connection.queue(&work.role, estimate)?;
    }
    if is_explicit && !holds {
        connection.queue_command("commit")?;
    }
    let reply = connection.round_trip().await?;

    let position = usize::from(is_explicit) + 2;
    let settled = match outcome(reply, position, work.estimate.is_some()) {
        Ok(outcome) if holds => settle(connection, work, outcome).await,
        settled => settled,
    };
    match settled {
        Ok(outcome) => {
            if outcome.left_tables {
                connection.command("discard temp").await?;
            }
            Ok(outcome)
        }
        Err(failure) => {
            if connection.state() != State::Idle {
                connection.command("rollback").await?;
            }
            Err(failure)
        }
    }
}

/// Commits if the number of rows allows it.
async fn settle(
    connection: &mut Connection,
    work: &Transaction,
    outcome: Outcome,
) -> Result<Outcome, Failure> {
    if let Err(refusal) = work.check.refuse(outcome.rows) {
        connection.command("rollback").await?;
        return Err(Failure::Refused(refusal));
    }
    match connection.command("commit").await?.error {
        Some(error) => Err(Failure::Server(error)),
        None => Ok(outcome),
    }
}

/// What an earlier request may have left in the session by a plain `set`. Its local settings went with
/// its own transaction, a plain `set role` is covered by the role that every request sets, locks go
/// with the settings, and temporary tables were discarded when their request ended.
const FORGET: &str = "reset all";

fn begin(isolation: Option<Isolation>) -> &'static str {
    match isolation {
        None => "begin",
        Some(Isolation::RepeatableRead) => "begin isolation level repeatable read",
        Some(Isolation::Serializable) => "begin isolation level serializable",
    }
}

/// The row of the statement at `position` among those sent, and the estimate behind it.
fn outcome(reply: Reply, position: usize, estimated: bool) -> Result<Outcome, Failure> {
    if let Some(error) = reply.error {
        return Err(Failure::Server(error));
    }
    let missing = || io::Error::from(io::ErrorKind::InvalidData);
    let mut rows = reply.rows.into_iter().skip(position);
    let row = rows.next().flatten().ok_or_else(missing)?;
    let mut outcome = Outcome::read(row.values()?).ok_or_else(missing)?;
    if estimated && let Some(plan) = rows.next().flatten() {
        let plan = plan.values()?.into_iter().next().flatten();
        outcome.estimate = plan.and_then(|text| String::from_utf8(text.into()).ok());
    }
    Ok(outcome)
}
