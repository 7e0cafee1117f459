//! One connection: the wire, what has been prepared on it, and how to interrupt it.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_postgres::config::TargetSessionAttrs;

use gristmill_dialect::Sql;
use gristmill_native::database::Config;

use super::login::{Canceller, LoginError, log_in};
use super::statement::{Plan, Prepared};
use super::vital::Vital;
use super::wire::{Reply, Sink, State, Wire};

/// How often a cancel is sent again while the server does not give up.
const CANCEL_EVERY: Duration = Duration::from_millis(300);
/// After so many the connection is closed instead.
const CANCEL_TRIES: usize = 10;

/// A connection that has been quiet for longer is asked whether it still lives before it is used: a
/// half-open one takes what is sent and never answers.
const STALE: Duration = Duration::from_secs(1);
/// How long it may take to answer.
const PING: Duration = Duration::from_secs(2);

pub(super) struct Connection {
    wire: Wire,
    prepared: Prepared,
    canceller: Canceller,
    vital: Arc<Vital>,
    last_answer: Instant,
    /// Statements being prepared, in order: role, text, name.
    preparing: Vec<Preparing>,
}

enum Preparing {
    Unnamed,
    Named {
        role: String,
        text: String,
        name: String,
    },
}

impl Connection {
    /// Connects to the first host that takes it, logs in and asks for the number of the server's process. Each host has the time to connect
    /// for all of that. `shared`: a pooler stands in between, and the session is another one for each transaction.
    pub(super) async fn open(config: &Config, shared: bool) -> Result<Self, LoginError> {
        let patience = config.get_connect_timeout().copied();
        let patience = patience.unwrap_or(Duration::from_secs(5));
        let mut last = LoginError::Timeout;
        for config in config.each_host() {
            match tokio::time::timeout(patience, Self::open_patiently(&config, shared)).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) => last = error,
                Err(_) => last = LoginError::Timeout,
            }
        }
        Err(last)
    }

    async fn open_patiently(config: &Config, shared: bool) -> Result<Self, LoginError> {
        let (stream, canceller) = log_in(config).await?;
        let mut wire = Wire::new(stream);
        let unreachable = LoginError::Unreachable;
        wire.command(
            "select pg_catalog.pg_backend_pid(), pg_catalog.current_setting('transaction_read_only')",
        )
        .map_err(unreachable)?;
        let reply = wire.round_trip(None).await.map_err(unreachable)?;
        let process = reply.first_number().ok_or(LoginError::Kept)?;
        let is_read_only = reply.second_text().as_deref() == Some("on");
        match config.get_target_session_attrs() {
            TargetSessionAttrs::ReadWrite if is_read_only => return Err(LoginError::ReadOnly),
            TargetSessionAttrs::ReadOnly if !is_read_only => return Err(LoginError::ReadWrite),
            _ => {}
        }
        Ok(Self {
            wire,
            prepared: match shared {
                true => Prepared::never(),
                false => Prepared::default(),
            },
            canceller,
            vital: Arc::new(Vital::new(process)),
            last_answer: Instant::now(),
            preparing: Vec::new(),
        })
    }

    pub(super) fn vital(&self) -> &Arc<Vital> {
        &self.vital
    }

    pub(super) fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// True when everything sent has been answered and no transaction is open.
    pub(super) fn is_settled(&self) -> bool {
        self.wire.is_settled()
    }

    pub(super) fn is_stale(&self) -> bool {
        self.last_answer.elapsed() > STALE
    }

    /// Whether the server answers.
    pub(super) async fn answers(&mut self) -> bool {
        self.wire.sync();
        let answered = tokio::time::timeout(PING, self.wire.round_trip(None)).await;
        matches!(answered, Ok(Ok(reply)) if reply.error.is_none()) && self.is_settled()
    }

    /// Whether the next request may use it.
    pub(super) fn is_fit(&mut self) -> bool {
        self.wire.state() == State::Idle && self.wire.is_quiet()
    }

    pub(super) fn state(&self) -> State {
        self.wire.state()
    }

    /// Queues a statement, prepared for `role` if it has come before.
    pub(super) fn queue(&mut self, role: &str, sql: &Sql) -> io::Result<()> {
        let plan = self.prepared.plan(role, &sql.text);
        self.queue_planned(role, sql, plan)
    }

    /// Queues what every request repeats.
    pub(super) fn queue_often(&mut self, role: &str, sql: &Sql) -> io::Result<()> {
        let plan = self.prepared.plan_at_once(role, &sql.text);
        self.queue_planned(role, sql, plan)
    }

    /// Queues a command that every request repeats.
    pub(super) fn queue_command(&mut self, text: &'static str) -> io::Result<()> {
        let sql = Sql {
            text: text.to_owned(),
            params: Vec::new(),
        };
        self.queue_often("", &sql)
    }

    fn queue_planned(&mut self, role: &str, sql: &Sql, plan: Plan) -> io::Result<()> {
        match plan {
            Plan::Reuse(name) => self.wire.execute(&name, &sql.params),
            Plan::Unnamed => {
                self.wire.parse("", &sql.text)?;
                self.preparing.push(Preparing::Unnamed);
                self.wire.execute("", &sql.params)
            }
            Plan::Name(name) => {
                self.wire.parse(&name, &sql.text)?;
                self.wire.execute(&name, &sql.params)?;
                self.preparing.push(Preparing::Named {
                    role: role.to_owned(),
                    text: sql.text.clone(),
                    name,
                });
                Ok(())
            }
        }
    }

    /// Makes room before a transaction, while nothing refers to a statement yet.
    pub(super) fn make_room(&mut self) -> io::Result<()> {
        for name in self.prepared.overflow() {
            self.wire.close(&name)?;
        }
        Ok(())
    }

    /// Sends everything queued as one transaction, and reads all answers; those of one statement go to
    /// the sink.
    pub(super) async fn round_trip(&mut self, sink: Sink<'_>) -> io::Result<Reply> {
        self.wire.sync();
        let reply = self.wire.round_trip(Some(sink)).await?;
        self.last_answer = Instant::now();
        for preparing in self.preparing.drain(..).take(reply.parsed) {
            if let Preparing::Named { role, text, name } = preparing {
                self.prepared.keep(&role, &text, name);
            }
        }
        Ok(reply)
    }

    /// Sends one command by itself.
    pub(super) async fn command(&mut self, text: &str) -> io::Result<Reply> {
        self.wire.command(text)?;
        self.wire.round_trip(None).await
    }

    /// Interrupts whatever runs and rolls back. True when the connection is as good as new.
    ///
    /// A cancel that arrives between two statements is lost, so it is repeated until all that was
    /// sent has been answered. The commands at the end make sure that a signal still on its way
    /// meets them and not a later request's query: then they fail, and the connection is closed.
    pub(super) async fn interrupt(&mut self) -> bool {
        let mut answered = false;
        for _ in 0..CANCEL_TRIES {
            if let Err(error) = self.canceller.cancel().await {
                // Postgres may be going down; what it answers decides.
                tracing::debug!(%error, "a cancel could not be sent");
            }
            match tokio::time::timeout(CANCEL_EVERY, self.wire.round_trip(None)).await {
                Ok(Ok(_)) => {
                    answered = true;
                    break;
                }
                Ok(Err(_)) => return false,
                Err(_) => {}
            }
        }
        // What was being prepared when the client left may or may not be: start over.
        self.preparing.clear();
        self.prepared.forget();
        answered && self.is_rolled_back().await
    }

    async fn is_rolled_back(&mut self) -> bool {
        for command in ["rollback", "deallocate all"] {
            match self.command(command).await {
                Ok(reply) if reply.error.is_none() => {}
                _ => return false,
            }
        }
        self.is_settled()
    }
}
