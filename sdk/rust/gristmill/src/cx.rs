//! What a running job can reach.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::Utc;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::cancellation::{Cancellation, Cancelled};
use crate::client::{CallError, Client};
use crate::job::{ClaimedJob, Holder, JobId};
use crate::outcome::{Ending, Failure, Level, LogLine, Usage};
use crate::steps::Steps;
use crate::time::{Backoff, sleep};
use crate::trace::AttemptSpan;

/// How often a call that ends a job is made while Postgres cannot be reached. The pauses add up to three seconds at the most; each call has its
/// own timeout of ten.
const TRIES: u32 = 6;

/// As many lines as Postgres keeps of one job.
const MOST_LINES: usize = 1000;

/// No progress was reported.
const NO_PROGRESS: u8 = u8::MAX;

/// What values that handlers share must be able to: natively they are used from several threads.
#[cfg(not(target_arch = "wasm32"))]
pub trait State: Any + Send + Sync {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Any + Send + Sync> State for T {}
#[cfg(not(target_arch = "wasm32"))]
type AnyState = dyn Any + Send + Sync;

/// What values that handlers share must be able to: natively they are used from several threads.
#[cfg(target_arch = "wasm32")]
pub trait State: Any {}
#[cfg(target_arch = "wasm32")]
impl<T: Any> State for T {}
#[cfg(target_arch = "wasm32")]
type AnyState = dyn Any;

/// Values that handlers share, one per type.
#[derive(Clone, Default)]
pub(crate) struct States(HashMap<TypeId, Arc<AnyState>>);

impl States {
    pub(crate) fn insert<T: State>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    fn get<T: State>(&self) -> Option<&T> {
        let value = self.0.get(&TypeId::of::<T>())?;
        (**value).downcast_ref()
    }
}

/// What changes while an attempt runs; whoever runs it reads it too.
pub(crate) struct Live {
    pub(crate) cancellation: Cancellation,
    /// Fires when the job goes on later: see [`crate::steps`].
    pub(crate) put_off: Cancellation,
    pub(crate) steps: Mutex<Steps>,
    progress: AtomicU8,
    logs: Mutex<Logs>,
    used: Mutex<Option<Usage>>,
    has_reservation: AtomicBool,
    watchers: AtomicUsize,
    /// Called when somebody should look at the progress, or look more often.
    on_report: Option<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct Logs {
    lines: Vec<LogLine>,
    /// How many were taken so far, of those that Postgres keeps.
    taken: usize,
    left_out: u64,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that could panic runs under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    pub(crate) fn new(on_report: Option<Box<dyn Fn() + Send + Sync>>) -> Arc<Self> {
        Arc::new(Self {
            cancellation: Cancellation::new(),
            put_off: Cancellation::new(),
            steps: Mutex::default(),
            progress: AtomicU8::new(NO_PROGRESS),
            logs: Mutex::default(),
            used: Mutex::default(),
            has_reservation: AtomicBool::new(true),
            watchers: AtomicUsize::new(0),
            on_report,
        })
    }

    #[cfg(any(
        feature = "testing",
        all(feature = "worker", not(target_arch = "wasm32"))
    ))]
    pub(crate) fn progress(&self) -> Option<u8> {
        let percent = self.progress.load(Ordering::Relaxed);
        (percent != NO_PROGRESS).then_some(percent)
    }

    pub(crate) fn usage(&self) -> Option<Usage> {
        *locked(&self.used)
    }

    #[cfg(all(feature = "worker", not(target_arch = "wasm32")))]
    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0
    }

    /// The lines that were not taken yet. The last one of an attempt says how many were left out.
    pub(crate) fn take_logs(&self, is_last: bool) -> Vec<LogLine> {
        let mut logs = locked(&self.logs);
        let mut lines = std::mem::take(&mut logs.lines);
        logs.taken += lines.len();
        if is_last && logs.left_out > 0 {
            let message = format!("{} more lines were left out", logs.left_out);
            lines.push(line(Level::Warn, message, None));
        }
        lines
    }

    /// They could not be sent: they go with the next call.
    pub(crate) fn put_back(&self, mut lines: Vec<LogLine>) {
        let mut logs = locked(&self.logs);
        logs.taken = logs.taken.saturating_sub(lines.len());
        lines.append(&mut logs.lines);
        logs.lines = lines;
    }

    fn log(&self, level: Level, message: String, data: Option<Map<String, Value>>) {
        let mut logs = locked(&self.logs);
        if logs.taken + logs.lines.len() < MOST_LINES {
            logs.lines.push(line(level, message, data));
        } else {
            logs.left_out += 1;
        }
    }

    fn report(&self) {
        if let Some(on_report) = &self.on_report {
            on_report();
        }
    }
}

fn line(level: Level, message: String, data: Option<Map<String, Value>>) -> LogLine {
    LogLine {
        at: Utc::now(),
        level,
        message,
        data,
    }
}

/// What a running job can reach: who it is, its log and progress, Postgres, and the signal to stop.
///
/// ```
/// # use gristmill::{Cx, Failure};
/// # use std::time::Duration;
/// # struct Import { rows: u32 }
/// async fn import(job: Import, cx: &Cx) -> Result<u32, Failure> {
///     cx.log().info(format!("attempt {} of {}", cx.attempt(), cx.max_attempts()));
///     for row in 0..job.rows {
///         if cx.is_cancelled() {
///             return Err(gristmill::released());
///         }
///         cx.progress(row * 100 / job.rows);
///     }
///     Ok(job.rows)
/// }
/// # let _ = import;
/// ```
pub struct Cx {
    job: ClaimedJob,
    holder: Holder,
    span: AttemptSpan,
    client: Client,
    states: Arc<States>,
    pub(crate) live: Arc<Live>,
}

/// Until it is dropped, a cancellation of the job is known within a second or so.
pub struct Watch(Arc<Live>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Cx {
    pub(crate) fn new(
        job: &ClaimedJob,
        worker: &str,
        client: &Client,
        states: &Arc<States>,
        live: Arc<Live>,
    ) -> Self {
        let span = AttemptSpan::of(job.id, job.attempt, job.traceparent.as_deref());
        Self {
            job: job.clone(),
            holder: Holder {
                job: job.id,
                worker: worker.to_owned(),
                attempt: job.attempt,
            },
            client: client.clone().traced(&span.traceparent().to_string()),
            span,
            states: states.clone(),
            live,
        }
    }

    /// The job.
    pub fn id(&self) -> JobId {
        self.job.id
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        &self.job.kind
    }

    /// The queue that it was claimed from.
    pub fn queue(&self) -> &str {
        &self.job.queue
    }

    /// Which attempt this is, from 1 on.
    pub fn attempt(&self) -> u32 {
        self.job.attempt
    }

    /// Attempts at the most.
    pub fn max_attempts(&self) -> u32 {
        self.job.max_attempts
    }

    /// Its name, for people.
    pub fn name(&self) -> Option<&str> {
        self.job.name.as_deref()
    }

    /// Whose it is.
    pub fn owner(&self) -> Option<Uuid> {
        self.job.owner
    }

    /// Whose turn it was.
    pub fn group_key(&self) -> Option<&str> {
        self.job.group_key.as_deref()
    }

    /// From whoever enqueued it.
    pub fn correlation_id(&self) -> Option<&str> {
        self.job.correlation_id.as_deref()
    }

    /// The span of whoever enqueued it, as it was given.
    pub fn traceparent(&self) -> Option<&str> {
        self.job.traceparent.as_deref()
    }

    /// The span of this attempt. Calls of [`Cx::client`] carry it; send it with calls of your own.
    pub fn span(&self) -> &AttemptSpan {
        &self.span
    }

    /// The fencing token. Functions of your own that write on behalf of the job take it and ask Postgres whether it still counts.
    pub fn holder(&self) -> &Holder {
        &self.holder
    }

    /// Postgres with the rights of the worker, on behalf of this job.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A value that was given to [`Jobs::state`](crate::Jobs::state). At the edge `worker::Env` is one.
    pub fn state<T: State>(&self) -> Result<&T, Failure> {
        self.states.get().ok_or_else(|| {
            let message = format!("the program has no state of the type {}", type_name::<T>());
            Failure::retryable("misconfigured", message)
        })
    }

    /// How far the job is, in percent. It is sent with the next heartbeat, which follows within a second; a function sends none.
    pub fn progress(&self, percent: impl TryInto<u8>) {
        let percent = percent.try_into().unwrap_or(100).min(100);
        if self.live.progress.swap(percent, Ordering::Relaxed) != percent {
            self.live.report();
        }
    }

    /// The job's log. Its lines are kept with the job and can be read by its id.
    pub fn log(&self) -> Log<'_> {
        Log(&self.live)
    }

    /// Resolves when the lease was lost, the job cancelled, or the worker has to stop: whatever is said afterwards changes nothing.
    pub fn cancelled(&self) -> Cancelled<'_> {
        self.live.cancellation.cancelled()
    }

    /// Whether the job should stop.
    pub fn is_cancelled(&self) -> bool {
        self.live.cancellation.is_cancelled()
    }

    /// The signal itself, to be passed on.
    pub fn cancellation(&self) -> &Cancellation {
        &self.live.cancellation
    }

    /// Until the answer is dropped, a cancellation of the job is known within a second or so instead of at the next heartbeat.
    /// For what takes long and can be stopped at once, such as a child process.
    #[must_use = "the job is watched only until this is dropped"]
    pub fn watch(&self) -> Watch {
        self.live.watchers.fetch_add(1, Ordering::Relaxed);
        self.live.report();
        Watch(self.live.clone())
    }

    /// Adds calls of the provider whose limit the job's queue draws on, and their tokens; nought of each gives back
    /// what was reserved at the claim. A job that never says is taken to have used its estimate.
    pub fn used(&self, requests: u32, tokens: u64) {
        let mut used = locked(&self.live.used);
        let before = used.unwrap_or_default();
        *used = Some(Usage {
            requests: before.requests.saturating_add(requests),
            tokens: before.tokens.saturating_add(tokens),
        });
    }

    /// What the job's calls really used of the provider's limit, where they said so.
    pub fn usage(&self) -> Option<Usage> {
        self.live.usage()
    }

    /// True once: the claim has reserved one call of the limit that the job's queue draws on.
    pub fn take_reservation(&self) -> bool {
        self.live.has_reservation.swap(false, Ordering::Relaxed)
    }

    /// For a call that ends the job together with its rows: what the job leaves behind beside those rows.
    pub fn ending<'a, Kept: Serialize>(&self, result: &'a Kept) -> Ending<'a, Kept> {
        Ending {
            result,
            usage: self.live.usage(),
        }
    }

    /// Makes the call that ends the job together with its rows, and makes it again while Postgres cannot be reached: the work is
    /// done and only its record is missing. Such a call must answer a repeat as it answered the first time.
    ///
    /// A handler that ends its job so returns [`Outcome::Settled`](crate::Outcome::Settled).
    pub async fn until_answered<T, Call>(&self, call: impl Fn() -> Call) -> Result<T, CallError>
    where
        Call: Future<Output = Result<T, CallError>>,
    {
        let mut backoff = Backoff::of_calls();
        for _ in 1..TRIES {
            match call().await {
                Err(error) if error.is_passing() => {
                    let pause = std::pin::pin!(sleep(backoff.pause(error.retry_after())));
                    futures_util::future::select(pause, self.cancelled()).await;
                    if self.is_cancelled() {
                        break;
                    }
                }
                answer => return answer,
            }
        }
        call().await
    }
}

/// The log of a running job.
pub struct Log<'a>(&'a Live);

impl Log<'_> {
    /// For whoever looks for a mistake.
    pub fn debug(&self, message: impl Into<String>) {
        self.0.log(Level::Debug, message.into(), None);
    }

    /// What happened.
    pub fn info(&self, message: impl Into<String>) {
        self.0.log(Level::Info, message.into(), None);
    }

    /// What may become a problem.
    pub fn warn(&self, message: impl Into<String>) {
        self.0.log(Level::Warn, message.into(), None);
    }

    /// What went wrong.
    pub fn error(&self, message: impl Into<String>) {
        self.0.log(Level::Error, message.into(), None);
    }

    /// A line with figures beside it.
    pub fn with(&self, level: Level, message: impl Into<String>, data: Map<String, Value>) {
        self.0.log(level, message.into(), Some(data));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_logs_without_end_keeps_what_postgres_would_keep() {
        let live = Live::new(None);
        for n in 0..1200 {
            live.log(Level::Info, n.to_string(), None);
        }
        let lines = live.take_logs(true);
        assert_eq!(lines.len(), MOST_LINES + 1);
        assert_eq!(lines[MOST_LINES].message, "200 more lines were left out");
    }

    #[test]
    fn usage_adds_up_and_a_reservation_is_taken_once() {
        let cx = crate::testing_cx();
        assert_eq!(cx.usage(), None);
        cx.used(1, 10);
        cx.used(1, 5);
        let used = Usage {
            requests: 2,
            tokens: 15,
        };
        assert_eq!(cx.usage(), Some(used));
        assert!(cx.take_reservation() && !cx.take_reservation());
    }

    #[test]
    fn calls_on_behalf_of_a_job_carry_the_span_of_its_attempt() {
        let cx = crate::testing_cx();
        let carried = format!(
            "{:?}",
            cx.client().enqueue(&crate::tests::Thumbnail::default())
        );
        assert!(
            carried.contains(&cx.span().traceparent().to_string()),
            "{carried}"
        );
    }
}
