//! What an application implements to have its kinds of jobs run here: a handler of the library that also reaches Postgres by typed calls,
//! files, and programs under limits.

use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use gristmill::{Cx, Running};
use gristmill_core::job::{ClaimedJob, Holder, Outcome};
use gristmill_files::Objects;
use gristmill_rpc::Rpc;

use crate::children::Children;

pub use gristmill::Lane;

/// Runs jobs of some kinds.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    /// The kinds that it runs; rows of `mill.kind`.
    fn kinds(&self) -> &'static [&'static str];

    /// Whether its jobs mostly compute or mostly wait; they are claimed apart.
    fn lane(&self) -> Lane {
        Lane::Waiting
    }

    /// While this is in the future no job of the kind is claimed: what it needs has no room. The jobs stay pending.
    fn closed_until(&self, _kind: &str) -> Option<tokio::time::Instant> {
        None
    }

    /// Runs one attempt. It may be dropped at any await once [`Cx::cancelled`] has fired, and the whole
    /// process may die at any point: what it wrote must be safe to write again.
    async fn run(&self, job: &ClaimedJob, context: &Context<'_>) -> Outcome;
}

/// What a running job of ours can reach: all that a job of the library can, and what applications share.
pub struct Context<'a> {
    cx: &'a Cx,
    /// The fencing token of what the job writes.
    pub holder: Holder,
    /// The queue that the job was claimed from.
    pub queue: String,
    /// What the job says that a call of a model will use.
    pub estimated_tokens: u64,
    /// Postgres with the rights of the service, over HTTP.
    pub rpc: Arc<Rpc>,
    /// Objects, with the rights of the service.
    pub storage: Arc<Objects>,
    /// Programs that parse files, under limits.
    pub children: Arc<Children>,
}

impl Context<'_> {
    /// Shown to whoever asks about the job; sent with the next heartbeat, which follows within a second.
    pub fn progress(&self, percent: u8, message: &str) {
        tracing::debug!(job = %self.holder.job, percent, message, "progress");
        self.cx.progress(percent);
    }
}

impl Deref for Context<'_> {
    type Target = Cx;

    fn deref(&self) -> &Cx {
        self.cx
    }
}

/// What every handler of ours is given.
#[derive(Clone)]
pub(crate) struct Means {
    pub(crate) rpc: Arc<Rpc>,
    pub(crate) storage: Arc<Objects>,
    pub(crate) children: Arc<Children>,
}

/// A handler of ours as the library knows it.
pub(crate) struct Ours {
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) means: Means,
}

impl gristmill::Handler for Ours {
    fn kinds(&self) -> Vec<&'static str> {
        self.handler.kinds().to_vec()
    }

    fn lane(&self) -> Lane {
        self.handler.lane()
    }

    fn closed_for(&self, kind: &str) -> Option<std::time::Duration> {
        let until = self.handler.closed_until(kind)?;
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        (!left.is_zero()).then_some(left)
    }

    fn run<'a>(&'a self, job: &'a ClaimedJob, cx: &'a Cx) -> Running<'a> {
        let traceparent = cx.span().traceparent().to_string();
        let context = Context {
            cx,
            holder: cx.holder().clone(),
            queue: cx.queue().to_owned(),
            estimated_tokens: estimated_tokens(job),
            rpc: Arc::new(self.means.rpc.traced(&traceparent)),
            storage: self.means.storage.clone(),
            children: self.means.children.clone(),
        };
        Box::pin(async move { self.handler.run(job, &context).await })
    }
}

// As a claim under a limit weighs it.
fn estimated_tokens(job: &ClaimedJob) -> u64 {
    #[derive(serde::Deserialize)]
    struct Estimated {
        estimated_tokens: Option<u64>,
    }
    let estimated = serde_json::from_str::<Estimated>(job.payload.get());
    estimated
        .ok()
        .and_then(|estimated| estimated.estimated_tokens)
        .unwrap_or(1000)
}
