//! A long-lived worker: claims jobs over HTTP, runs them, settles them; as many replicas as you like.
//!
//! ```no_run
//! use gristmill::{Cx, Failure, Job, Worker, jobs};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Job, Serialize, Deserialize, JsonSchema)]
//! #[job(kind = "thumbnail", queue = "pictures")]
//! struct Thumbnail {
//!     object: String,
//! }
//!
//! async fn thumbnail(job: Thumbnail, cx: &Cx) -> Result<String, Failure> {
//!     cx.log().info(format!("reading {}", job.object));
//!     Ok(format!("small/{}", job.object))
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), gristmill::worker::Error> {
//!     Worker::from_env()?.jobs(jobs![thumbnail]).run().await
//! }
//! ```
//!
//! A lane claims and runs, and reports what has ended together with its next claim. The leases are kept alive by a task of their own.

mod attempt;
mod failed;
mod lane;
mod leases;
mod listen;
mod process;
mod status;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::Running;
use crate::cancellation::Cancellation;
use crate::client::{CallError, Client, NotSet};
use crate::cx::States;
use crate::handler::Jobs;
use crate::time::Backoff;

pub use failed::Failed;
pub use status::Status;

use leases::Leases;
use process::{asked_to_stop, cores, parsed, unique_name, variable};

/// How long a worker takes to give its jobs back once their time to finish is over.
const TO_RELEASE: Duration = Duration::from_secs(5);

/// How long a worker that ends waits until Postgres has heard that.
const TO_LEAVE: Duration = Duration::from_secs(3);

/// Why a worker could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Without it nothing can be claimed.
    #[error(transparent)]
    NotSet(#[from] NotSet),
    /// A variable that cannot be understood.
    #[error("{name} is {value:?}, but must be {expected}")]
    Variable {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Postgres did not take the definition of a kind or of a queue.
    #[error("the jobs could not be registered")]
    Register(#[source] CallError),
}

/// Says which queues to claim from, again and again: adding a queue needs no restart.
pub trait QueueSource: Send + Sync + 'static {
    /// The queues of now.
    fn queues(&self) -> Running<'_, Result<Vec<String>, CallError>>;
}

enum Queues {
    /// Those of the kinds that have a handler.
    OfTheKinds,
    Fixed(Vec<String>),
    From(Arc<dyn QueueSource>),
}

/// A long-lived worker. See the [module](self) for an example.
pub struct Worker {
    client: Client,
    jobs: Jobs,
    queues: Queues,
    name: Option<String>,
    concurrency: usize,
    computing: usize,
    poll: (Duration, Duration),
    heartbeat: Duration,
    drain: Duration,
    listen: Option<SocketAddr>,
    takes_all_kinds: bool,
    leaves_external: bool,
    registers: bool,
    status: Arc<Status>,
    on_failure: Option<OnFailure>,
}

type OnFailure = Arc<dyn Fn(&Failed<'_>) + Send + Sync>;

/// What all lanes share.
struct Shared {
    name: String,
    client: Client,
    leases: Arc<Leases>,
    status: Arc<Status>,
    states: Arc<States>,
    /// Whether the server knows `settle_and_claim`. One that is older does not: then it is two calls, for as long as this process lives.
    settles_and_claims: AtomicBool,
    takes_all_kinds: bool,
    leaves_external: bool,
    poll: (Duration, Duration),
    on_failure: Option<OnFailure>,
    /// Fires when no more jobs may be claimed.
    stop: Cancellation,
}

impl Worker {
    /// A worker that calls Postgres with this client.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            jobs: Jobs::new(),
            queues: Queues::OfTheKinds,
            name: None,
            concurrency: 50,
            computing: cores() * 2,
            poll: (Duration::from_secs(1), Duration::from_secs(5)),
            heartbeat: Duration::from_secs(30),
            drain: Duration::from_secs(25),
            listen: None,
            takes_all_kinds: false,
            leaves_external: false,
            registers: true,
            status: Arc::default(),
            on_failure: None,
        }
    }

    /// From the environment: `SUPABASE_URL`, `SUPABASE_SERVICE_ROLE_KEY`, and, where they are set, `WORKER_QUEUES` (separated by commas),
    /// `WORKER_CONCURRENCY`, `WORKER_ID`, `WORKER_DRAIN_SECONDS` and `WORKER_LISTEN` (an address).
    pub fn from_env() -> Result<Self, Error> {
        let mut worker = Self::new(Client::from_env()?);
        if let Some(queues) = variable("WORKER_QUEUES") {
            worker = worker.queues(queues.split(',').map(|queue| queue.trim().to_owned()));
        }
        if let Some(most) = parsed("WORKER_CONCURRENCY", "a number from 1 to 1000")? {
            worker = worker.concurrency(most);
        }
        if let Some(seconds) = parsed("WORKER_DRAIN_SECONDS", "a number of seconds")? {
            worker = worker.drain(Duration::from_secs(seconds));
        }
        if let Some(name) = variable("WORKER_ID") {
            worker = worker.name(name);
        }
        if let Some(address) = parsed("WORKER_LISTEN", "an address such as 0.0.0.0:8080")? {
            worker = worker.listen(address);
        }
        Ok(worker)
    }

    /// What it runs.
    pub fn jobs(mut self, jobs: Jobs) -> Self {
        self.jobs = jobs;
        self
    }

    /// Claims from these queues only. Without it: from the queues of its kinds.
    pub fn queues(mut self, queues: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.queues = Queues::Fixed(queues.into_iter().map(Into::into).collect());
        self
    }

    /// Asks for the queues once a minute.
    pub fn queues_from(mut self, source: impl QueueSource) -> Self {
        self.queues = Queues::From(Arc::new(source));
        self
    }

    /// A name for people. Each process adds something random: replicas may be given one name, and two that shared one could settle each
    /// other's jobs.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Jobs at once that mostly wait for others; 50 without it.
    pub fn concurrency(mut self, most: usize) -> Self {
        self.concurrency = most.clamp(1, 1000);
        self
    }

    /// Jobs at once that mostly compute; twice as many as there are processors without it.
    pub fn computing(mut self, most: usize) -> Self {
        self.computing = most.clamp(1, 1000);
        self
    }

    /// The rest between looks at an empty queue, which doubles up to `longest`; 1 s and 5 s without it.
    pub fn poll(mut self, first: Duration, longest: Duration) -> Self {
        let first = first.max(Duration::from_millis(10));
        self.poll = (first, longest.max(first));
        self
    }

    /// How often leases are extended at the latest; 30 s without it. A lease that lasts less than three times as long is extended more often.
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.heartbeat = every.max(Duration::from_millis(100));
        self
    }

    /// How long running jobs may go on when the worker is asked to stop; 25 s without it. Then they are released.
    pub fn drain(mut self, time: Duration) -> Self {
        self.drain = time;
        self
    }

    /// Answers `/live`, `/ready`, `/metrics` and `POST /wake` at this address.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// Claims whatever its queues have, which costs less. A job whose kind has no handler here is given back for a minute: use it only
    /// where this worker has a handler for every kind of its queues.
    pub fn takes_all_kinds(mut self) -> Self {
        self.takes_all_kinds = true;
        self
    }

    /// Leaves queues alone whose `served_by` is `external`.
    pub fn leaves_external(mut self) -> Self {
        self.leaves_external = true;
        self
    }

    /// Does not register its kinds at the start; somebody else does.
    pub fn without_registering(mut self) -> Self {
        self.registers = false;
        self
    }

    /// Is called for each attempt that failed. Without it the worker writes one line: a warning of `tracing`, and to stderr where the program listens to
    /// no `tracing`.
    pub fn on_failure(mut self, hook: impl Fn(&Failed<'_>) + Send + Sync + 'static) -> Self {
        self.on_failure = Some(Arc::new(hook));
        self
    }

    /// Counters, and a way to wake it. They may be read while it runs.
    pub fn status(&self) -> Arc<Status> {
        self.status.clone()
    }

    /// Works until SIGTERM or Ctrl-C; then finishes or releases what it holds.
    pub async fn run(self) -> Result<(), Error> {
        self.run_until(asked_to_stop()).await
    }

    /// Works until `stop` resolves; then finishes or releases what it holds.
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> Result<(), Error> {
        let mut stop = std::pin::pin!(stop);
        let listener = match self.listen {
            Some(address) => Some(listen::bind(address).await?),
            None => None,
        };
        let shared = Arc::new(Shared {
            name: unique_name(self.name.as_deref()),
            client: self.client.clone(),
            leases: Arc::default(),
            status: self.status.clone(),
            states: self.jobs.states(),
            settles_and_claims: AtomicBool::new(true),
            takes_all_kinds: self.takes_all_kinds,
            leaves_external: self.leaves_external,
            poll: self.poll,
            on_failure: self.on_failure.clone(),
            stop: Cancellation::new(),
        });
        // Before anything is claimed, so that a probe finds the worker alive while Postgres is not.
        let port = listener.map(|listener| {
            tokio::spawn(listen::serve(
                listener,
                shared.status.clone(),
                shared.stop.clone(),
            ))
        });
        let registered = tokio::select! {
            registered = self.register() => registered,
            () = &mut stop => Ok(()),
        };
        if let Err(error) = registered {
            shared.stop.cancel();
            return Err(error);
        }
        let heartbeats = tokio::spawn(leases::keep(shared.clone(), self.heartbeat));
        let mut lanes = lane::start(&shared, &self);
        tracing::info!(worker = %shared.name, concurrency = self.concurrency, kinds = ?self.jobs.kinds(), "worker ready");

        stop.await;
        tracing::info!(
            running = shared.leases.count(),
            seconds = self.drain.as_secs(),
            "stopping; running jobs may finish"
        );
        shared.stop.cancel();
        if tokio::time::timeout(self.drain, lanes.join_next_all())
            .await
            .is_err()
        {
            let running = shared.leases.count();
            tracing::warn!(running, "released what was not done in time");
            shared.leases.stop_all();
            let _ = tokio::time::timeout(TO_RELEASE, lanes.join_next_all()).await;
        }
        lanes.abort_all();
        heartbeats.abort();
        shared.leave().await;
        if let Some(port) = port {
            port.abort();
        }
        Ok(())
    }

    async fn register(&self) -> Result<(), Error> {
        let definition = self.jobs.definition();
        if !self.registers || (definition.kinds.is_empty() && definition.queues.is_empty()) {
            return Ok(());
        }
        let mut backoff = Backoff::of_calls();
        loop {
            match self.client.register(&definition).await {
                Ok(registered) => {
                    for kept in &registered.kept {
                        tracing::warn!(
                            kept = %serde_json::Value::from(kept.clone()),
                            "an operator has changed a value, which was kept"
                        );
                    }
                    for warning in registered.warnings() {
                        tracing::warn!("{warning}");
                    }
                    return Ok(());
                }
                Err(error) if error.is_unknown_function() => {
                    tracing::warn!(
                        "this Postgres knows no register_jobs: kinds and queues must be made by hand"
                    );
                    return Ok(());
                }
                Err(error) if error.is_passing() => {
                    tracing::warn!(%error, "the jobs could not be registered yet");
                    tokio::time::sleep(backoff.pause(error.retry_after())).await;
                }
                Err(error) => return Err(Error::Register(error)),
            }
        }
    }
}

impl Shared {
    /// Tells Postgres that this worker has ended. Without that it would be shown as alive until it has missed three heartbeats.
    async fn leave(&self) {
        let arguments = serde_json::json!({ "p_worker": self.name });
        let call = self.client.call::<()>("end_worker", &arguments);
        if let Ok(Err(error)) = tokio::time::timeout(TO_LEAVE, call).await {
            // An older Postgres has no such function.
            tracing::debug!(%error, "the end of the worker was not noted");
        }
    }
}

/// The lanes' tasks.
trait JoinAll {
    async fn join_next_all(&mut self);
}

impl JoinAll for tokio::task::JoinSet<()> {
    async fn join_next_all(&mut self) {
        while self.join_next().await.is_some() {}
    }
}
