//! One request, one transaction, one round trip.
//!
//! Settings and statement are sent together and commit together at the synchronisation point behind
//! them. An explicit transaction is begun only where the commit must be held back, because the
//! number of rows may still refuse the request, or where an isolation level is asked for.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use gristmill_dialect::refusal::{DatabaseError, Refusal};
use gristmill_dialect::{Isolation, Layout, ServerError};

use super::collect::{Bounds, Collector, Excess};
use super::connection::Connection;
use super::pool::{Lease, Pool, WAIT};
use super::request::{Access, Outcome, Transaction};
use super::vital::Vital;
use super::wire::{Reply, Sink, State};
use crate::limits::{Full, Visit};

/// The deadline of a request whose role may run statements for as long as it likes.
const LONGEST: Duration = Duration::from_secs(600);

/// How long it may take to cancel a query whose client has left.
const INTERRUPTING: Duration = Duration::from_secs(5);

impl Pool {
    /// Runs the transaction, and answers before its deadline in any case. When the caller goes away, which drops
    /// this future, the query is cancelled and the connection cleaned or closed.
    pub async fn run(
        self: &Arc<Self>,
        visit: &Visit,
        trusted: bool,
        work: Transaction,
    ) -> Result<Outcome, Refusal> {
        let writes = work.access == Access::ReadWrite;
        let share = self.answers.share(visit);
        // Refused before anything has happened, so that it can be tried again.
        match share.full() {
            Some(Full::Caller) => return Err(Refusal::CallerMemory),
            Some(Full::Everybody) => return Err(Refusal::Memory),
            None => {}
        }
        let collector = Collector::new(
            work.layout,
            Bounds {
                most: self.max_answer,
                share,
                excess: match writes && !work.holds_commit() {
                    true => Excess::Drop,
                    false => Excess::Cancel,
                },
            },
        );
        // Waiting and connecting have bounds of their own. Were they taken from the time to run, a busy gateway
        // would throw away connections that work.
        let wait_until = Instant::now() + WAIT;
        let _turn = visit.turn(wait_until).await.ok_or(Refusal::CallerBusy)?;
        let mut busy = Busy(Some(self.acquire(trusted, wait_until).await?));
        let patience = work.timeout.map(|time| time + self.deadline_grace);
        let deadline = Instant::now() + patience.unwrap_or(LONGEST);
        let finished = match busy.connection() {
            Some(connection) => watched(connection, &work, collector, self.shared, deadline).await,
            None => Err(Failure::Connection(io::ErrorKind::NotConnected.into())),
        };
        let Some(lease) = busy.0.take() else {
            return Err(Refusal::ConnectionLost);
        };
        let result = match finished {
            Ok(outcome) => Ok(outcome),
            Err(Failure::Refused(refusal)) => Err(refusal),
            Err(Failure::Connection(error)) => {
                tracing::warn!(%error, "a request's connection was lost");
                return Err(Refusal::ConnectionLost);
            }
            Err(Failure::Late) => {
                abandon(lease);
                return Err(Refusal::Deadline { writes });
            }
            Err(Failure::Lost) => {
                abandon(lease);
                return Err(Refusal::ConnectionLost);
            }
            Err(Failure::Server(error)) => {
                let ends_session = error.ends_session;
                let error = DatabaseError::new(error, work.authenticated, writes);
                // Its prepared statements are of a schema that is no more.
                let is_useless = ends_session || error.is_stale_plan();
                let refusal = Refusal::Database(Box::new(error));
                if is_useless {
                    return Err(refusal);
                }
                Err(refusal)
            }
        };
        // The server's own word is what lets a connection go back.
        lease.keep_if_settled();
        result
    }
}

/// The transaction, until its deadline or until Postgres says that it does not work on it.
async fn watched(
    connection: &mut Connection,
    work: &Transaction,
    collector: Collector,
    shared: bool,
    deadline: Instant,
) -> Result<Outcome, Failure> {
    let watch = Watch::over(connection.vital().clone());
    let lost = watch.vital.lost(watch.stamp);
    tokio::select! {
        biased;
        finished = transact(connection, work, collector, shared) => finished,
        () = lost => Err(Failure::Lost),
        () = tokio::time::sleep_until(deadline) => Err(Failure::Late),
    }
}

/// Marks a connection as busy, however that ends.
struct Watch {
    vital: Arc<Vital>,
    stamp: u64,
}

impl Watch {
    fn over(vital: Arc<Vital>) -> Self {
        let stamp = vital.begin();
        Self { vital, stamp }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.vital.end();
    }
}

/// Throws a connection away. If its query still runs it is told to stop, by a task that holds no place in
/// the pool: the server may never answer.
fn abandon(mut lease: Lease) {
    let canceller = lease.connection().ok().map(|found| found.canceller());
    lease.give_up();
    if let (Some(canceller), Ok(runtime)) = (canceller, tokio::runtime::Handle::try_current()) {
        runtime.spawn(async move {
            if let Err(error) = canceller.cancel().await {
                tracing::debug!(%error, "a late query could not be cancelled");
            }
        });
    }
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
                    && let Ok(true) =
                        tokio::time::timeout(INTERRUPTING, connection.interrupt()).await
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
    /// Rolled back already, or committed where the refusal says so.
    Refused(Refusal),
    /// The deadline has passed.
    Late,
    /// The server has answered, and the answer never came.
    Lost,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

impl Transaction {
    /// Whether the commit is sent only after the answer has been looked at.
    fn holds_commit(&self) -> bool {
        self.commits_last || self.check.may_refuse()
    }
}

async fn transact(
    connection: &mut Connection,
    work: &Transaction,
    mut collector: Collector,
    shared: bool,
) -> Result<Outcome, Failure> {
    let holds = work.holds_commit();
    let is_explicit = holds || work.isolation.is_some();

    connection.make_room()?;
    if is_explicit {
        connection.queue_command(begin(work.isolation))?;
    }
    connection.queue_command(FORGET)?;
    connection.queue_often("", &work.settings)?;
    connection.queue(&work.role, &work.statement)?;
    if let Some(epilogue) = work.epilogue {
        connection.queue_command(epilogue)?;
    }
    if let Some(estimate) = &work.estimate {
        connection.queue(&work.role, estimate)?;
    }
    // Behind a pooler the session serves another client after this transaction: what it still holds then, we cannot remove.
    if shared {
        connection.queue_command(CLEAN)?;
    }
    if is_explicit && !holds {
        connection.queue_command("commit")?;
    }
    let position = usize::from(is_explicit) + 2;
    let sink = Sink {
        position,
        collector: &mut collector,
    };
    let reply = connection.round_trip(sink).await?;
    if reply.stopped {
        // Either way nothing of it is kept; a connection that cannot be cleaned is not settled, and is closed.
        connection.interrupt().await;
        let refusal = collector.refusal();
        return Err(Failure::Refused(refusal.unwrap_or(Refusal::ConnectionLost)));
    }
    let settled = match outcome(reply, position, collector, work) {
        Ok(outcome) if holds => settle(connection, work, outcome).await,
        settled => settled,
    };
    match settled {
        Ok(outcome) => {
            if outcome.left_tables && !shared {
                connection.command("discard temp").await?;
            }
            Ok(outcome)
        }
        Err(failure) => {
            if connection.state() != State::Idle {
                connection.command("rollback").await?;
            } else if let Failure::Refused(Refusal::AnswerTooLarge { .. }) = failure
                && !shared
            {
                // The function has run, and may have left tables.
                connection.command("discard temp").await?;
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

/// What a transaction in a shared session takes away again itself.
const CLEAN: &str = "discard temp";

fn begin(isolation: Option<Isolation>) -> &'static str {
    match isolation {
        None => "begin",
        Some(Isolation::RepeatableRead) => "begin isolation level repeatable read",
        Some(Isolation::Serializable) => "begin isolation level serializable",
    }
}

/// What the statement at `position` among those sent has answered, with the epilogue and the estimate
/// behind it.
fn outcome(
    reply: Reply,
    position: usize,
    collector: Collector,
    work: &Transaction,
) -> Result<Outcome, Failure> {
    if let Some(error) = reply.error {
        return Err(Failure::Server(error));
    }
    if let Some(refusal) = collector.refusal() {
        return Err(Failure::Refused(refusal));
    }
    let missing = || io::Error::from(io::ErrorKind::InvalidData);
    let mut rows = reply.rows.into_iter().skip(position);
    let of_statement = rows.next().flatten();
    let mut outcome = match work.layout {
        Layout::Whole => {
            let row = of_statement.ok_or_else(missing)?;
            let (mut outcome, body) = Outcome::whole(row.values()?).ok_or_else(missing)?;
            outcome.body = collector.finish_whole(body);
            outcome
        }
        _ => {
            let epilogue = rows.next().flatten().ok_or_else(missing)?;
            let mut outcome = Outcome::epilogue(epilogue.values()?);
            let (body, count, total) = collector.finish();
            outcome.body = body;
            outcome.rows = count;
            outcome.total = total.or(outcome.total);
            outcome
        }
    };
    if work.estimate.is_some()
        && let Some(plan) = rows.next().flatten()
    {
        let plan = plan.values()?.into_iter().next().flatten();
        outcome.estimate = plan.and_then(|text| String::from_utf8(text.into()).ok());
    }
    Ok(outcome)
}
