//! Handlers: which code runs which kind.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::Running;
use crate::cx::{Cx, State, States};
use crate::invocation::Batch;
use crate::job::ClaimedJob;
use crate::outcome::{Failure, IntoOutcome, Outcome};
use crate::{Definition, Job, Kind, Queue, Schedule};

/// Runs jobs of some kinds. A function of the form `async fn(job: J, cx: &Cx) -> Result<R, Failure>` is made one by
/// [`jobs!`](crate::jobs). Implement it where one value runs several kinds, reads payloads itself, or decides when it has room.
pub trait Handler: Send + Sync + 'static {
    /// The kinds that it runs.
    fn kinds(&self) -> Vec<&'static str>;

    /// What its kinds are registered with; nothing where they are registered in another way.
    fn definitions(&self) -> Vec<Kind> {
        Vec::new()
    }

    /// Whether its jobs mostly compute or mostly wait. A long-lived worker claims them apart.
    fn lane(&self) -> Lane {
        Lane::Waiting
    }

    /// How long no job of the kind shall be claimed, because what it needs has no room. The jobs stay pending. Long-lived workers ask.
    fn closed_for(&self, _kind: &str) -> Option<std::time::Duration> {
        None
    }

    /// Runs one attempt. It may be dropped at any await once [`Cx::cancelled`] has fired, and the whole process may die at any point:
    /// what it wrote must be safe to write again.
    fn run<'a>(&'a self, job: &'a ClaimedJob, cx: &'a Cx) -> Running<'a>;
}

/// What a job mostly does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Computes: twice as many at once as there are processors.
    Computing,
    /// Waits for others: up to the worker's concurrency at once.
    Waiting,
}

/// A function as a handler.
pub struct Typed<J, R, F> {
    run: F,
    job: PhantomData<fn(J) -> R>,
}

/// Makes a function a handler. [`jobs!`](crate::jobs) calls it: a closure in its place would not be checked for each lifetime.
#[doc(hidden)]
pub fn handler<J, R, F>(run: F) -> Typed<J, R, F>
where
    J: Job + Send + 'static,
    R: IntoOutcome + 'static,
    F: for<'a> Fn(J, &'a Cx) -> Running<'a, R> + Send + Sync + 'static,
{
    Typed {
        run,
        job: PhantomData,
    }
}

impl<J, R, F> Handler for Typed<J, R, F>
where
    J: Job + Send + 'static,
    R: IntoOutcome + 'static,
    F: for<'a> Fn(J, &'a Cx) -> Running<'a, R> + Send + Sync + 'static,
{
    fn kinds(&self) -> Vec<&'static str> {
        vec![J::KIND]
    }

    fn definitions(&self) -> Vec<Kind> {
        vec![Kind::of::<J>()]
    }

    fn run<'a>(&'a self, job: &'a ClaimedJob, cx: &'a Cx) -> Running<'a> {
        match serde_json::from_str(job.payload.get()) {
            Ok(payload) => {
                let running = (self.run)(payload, cx);
                Box::pin(async move { running.await.into_outcome() })
            }
            // Postgres has checked it against the schema that was registered last: the code is older or newer than that.
            Err(error) => ready(Outcome::Dead {
                error: Failure::permanent(
                    "payload",
                    format!("the payload is not of its kind: {error}"),
                ),
            }),
        }
    }
}

fn ready<'a>(outcome: Outcome) -> Running<'a> {
    Box::pin(std::future::ready(outcome))
}

/// The handlers of a program, and what they share.
///
/// ```
/// # use gristmill::{Cx, Failure, Job, jobs};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "thumbnail")]
/// # struct Thumbnail { object: String }
/// async fn thumbnail(job: Thumbnail, cx: &Cx) -> Result<usize, Failure> {
///     let bucket: &String = cx.state()?;
///     Ok(bucket.len() + job.object.len())
/// }
///
/// let jobs = jobs![thumbnail].state(String::from("pictures"));
/// assert_eq!(jobs.kinds(), ["thumbnail"]);
/// ```
#[derive(Clone, Default)]
pub struct Jobs {
    handlers: BTreeMap<&'static str, Arc<dyn Handler>>,
    queues: Vec<Queue>,
    schedules: Vec<Schedule>,
    batches: Vec<Arc<dyn Batch>>,
    states: States,
}

impl Jobs {
    /// None yet; [`jobs!`](crate::jobs) is shorter.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a handler. One for a kind that has one takes its place.
    pub fn with(self, handler: impl Handler) -> Self {
        self.with_shared(Arc::new(handler))
    }

    /// Adds a handler that others hold too.
    pub fn with_shared(mut self, handler: Arc<dyn Handler>) -> Self {
        for kind in handler.kinds() {
            self.handlers.insert(kind, handler.clone());
        }
        self
    }

    /// Gives every handler a value, found by its type with [`Cx::state`].
    pub fn state<T: State>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// A queue with options, to be registered with the kinds.
    pub fn queue(mut self, queue: Queue) -> Self {
        self.queues.push(queue);
        self
    }

    /// A schedule, to be registered with the kinds.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedules.push(schedule);
        self
    }

    /// Whoever serves whole invocations of some queues, with claims and settlements of its own.
    pub fn batch(mut self, batch: impl Batch) -> Self {
        self.batches.push(Arc::new(batch));
        self
    }

    /// The kinds that have a handler, in the order of the alphabet.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.handlers.keys().copied().collect()
    }

    /// What the kinds and queues are registered with.
    pub fn definition(&self) -> Definition {
        // A handler of several kinds is here several times, and answers for all of them.
        let kinds = self.handlers.iter().flat_map(|(kind, handler)| {
            let all = handler.definitions().into_iter();
            all.filter(move |definition| definition.kind == *kind)
        });
        Definition {
            queues: self.queues.clone(),
            kinds: kinds.collect(),
            schedules: self.schedules.clone(),
        }
    }

    pub(crate) fn handler(&self, kind: &str) -> Option<&Arc<dyn Handler>> {
        self.handlers.get(kind)
    }

    #[cfg(all(feature = "worker", not(target_arch = "wasm32")))]
    pub(crate) fn handlers(&self) -> impl Iterator<Item = (&'static str, &Arc<dyn Handler>)> {
        self.handlers.iter().map(|(kind, handler)| (*kind, handler))
    }

    pub(crate) fn batch_of(&self, queue: &str) -> Option<&Arc<dyn Batch>> {
        self.batches.iter().find(|batch| batch.serves(queue))
    }

    #[cfg_attr(
        target_arch = "wasm32",
        expect(
            clippy::arc_with_non_send_sync,
            reason = "native handlers share it between threads; at the edge there is one"
        )
    )]
    pub(crate) fn states(&self) -> Arc<States> {
        Arc::new(self.states.clone())
    }
}

/// What becomes of a job whose kind has no handler here: another worker, or the next release, may know it.
pub(crate) fn unknown_kind(kind: &str) -> Outcome {
    let message = format!("this worker has no handler for the kind '{kind}'");
    let delay = std::time::Duration::from_secs(60);
    Failure::released(delay, "unknown_kind", message).into()
}

/// Handlers by their types, as `jobs![for Set: …]` collects them.
#[doc(hidden)]
pub struct Nothing;

/// One handler more.
#[doc(hidden)]
pub struct More<J, Rest>(PhantomData<fn(J)>, PhantomData<Rest>);

#[doc(hidden)]
pub fn more<J, R, F, Rest>(_: &Typed<J, R, F>, _: Rest) -> More<J, Rest> {
    More(PhantomData, PhantomData)
}

/// Where in a list a handler is: first.
#[doc(hidden)]
pub struct First;

/// Further on.
#[doc(hidden)]
pub struct Later<At>(PhantomData<At>);

/// A list of handlers that has one for the job `J`, at the place `At`.
#[diagnostic::on_unimplemented(
    message = "the job `{J}` has no handler",
    label = "no handler in this list takes a `{J}`",
    note = "add `async fn handler(job: {J}, cx: &Cx) -> Result<_, Failure>` to the list of `jobs!`"
)]
pub trait HandlerOf<J, At> {}

impl<J, Rest> HandlerOf<J, First> for More<J, Rest> {}

impl<J, Other, Rest, At> HandlerOf<J, Later<At>> for More<Other, Rest> where Rest: HandlerOf<J, At> {}

/// The handlers of a program, from functions of the form `async fn(job: J, cx: &Cx) -> Result<R, Failure>`.
///
/// ```
/// # use gristmill::{Cx, Failure, Job, jobs};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "thumbnail")]
/// # struct Thumbnail { object: String }
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "tidy")]
/// # struct Tidy { days: u32 }
/// # async fn thumbnail(_: Thumbnail, _: &Cx) -> Result<(), Failure> { Ok(()) }
/// # async fn tidy(_: Tidy, _: &Cx) -> Result<(), Failure> { Ok(()) }
/// let jobs = jobs![thumbnail, tidy];
/// assert_eq!(jobs.kinds(), ["thumbnail", "tidy"]);
/// ```
///
/// With a set of jobs ([`JobSet`](crate::JobSet)) a missing handler does not compile:
///
/// ```
/// # use gristmill::{Cx, Failure, Job, JobSet, jobs};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "thumbnail")]
/// # struct Thumbnail { object: String }
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "tidy")]
/// # struct Tidy { days: u32 }
/// # async fn thumbnail(_: Thumbnail, _: &Cx) -> Result<(), Failure> { Ok(()) }
/// # async fn tidy(_: Tidy, _: &Cx) -> Result<(), Failure> { Ok(()) }
/// #[derive(JobSet)]
/// enum Pictures {
///     Thumbnail(Thumbnail),
///     Tidy(Tidy),
/// }
///
/// let jobs = jobs![for Pictures: thumbnail, tidy];
/// # let _ = jobs;
/// ```
#[macro_export]
macro_rules! jobs {
    (for $set:ty: $($handler:path),* $(,)?) => {{
        let list = $crate::Nothing;
        let jobs = $crate::Jobs::new();
        $(
            let handler = $crate::handler(|job, cx| ::std::boxed::Box::pin($handler(job, cx)));
            let list = $crate::more(&handler, list);
            let jobs = jobs.with(handler);
        )*
        <$set>::__all_are_handled(&list);
        jobs
    }};
    ($($handler:path),* $(,)?) => {
        $crate::Jobs::new()$(.with($crate::handler(|job, cx| ::std::boxed::Box::pin($handler(job, cx)))))*
    };
}
