//! Calls of a provider, each within the provider's limit: reserved before it is made, settled after it.
//!
//! Whoever chooses a provider by the environment is bound to the limit of that provider and model, whatever limit the job's queue draws on. Where the
//! two are one row, the claim has reserved the job's first call already. A call that finds no room is put off without using up an attempt, and
//! until there is room no job that needs it is claimed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gristmill_core::job::Failure;
use gristmill_rpc::{CallLimit, Rpc, RpcError};
use gristmill_runner::Context;
use tokio::time::Instant;
use uuid::Uuid;

use super::Unanswered;

/// How often the row is looked up again: an operator may give a model one of its own.
const KNOWN_FOR: Duration = Duration::from_secs(60);

/// How long a job waits for an operator to configure a limit.
const UNCONFIGURED_SECONDS: f64 = 60.0;

/// One provider's room for calls, as this worker knows it.
pub(super) struct Capacity {
    provider: &'static str,
    model: String,
    is_checked: bool,
    /// The row, by the queue of the job.
    known: Mutex<HashMap<String, (Instant, CallLimit)>>,
    /// Until then the limit has said that it has no room.
    closed_until: Mutex<Option<Instant>>,
}

/// A call that may be made now. To be settled; what is dropped instead, with its job, gives its slot back.
pub(super) struct Reserved {
    rpc: Arc<Rpc>,
    limit: Option<CallLimit>,
    lease: Option<Uuid>,
}

impl Capacity {
    pub(super) fn new(provider: &'static str, model: &str, is_checked: bool) -> Self {
        Self {
            provider,
            model: model.to_owned(),
            is_checked,
            known: Mutex::default(),
            closed_until: Mutex::default(),
        }
    }

    /// When there may be room again, while there is none.
    pub(super) fn closed_until(&self) -> Option<Instant> {
        let closed = *lock(&self.closed_until);
        closed.filter(|until| *until > Instant::now())
    }

    /// What a call would be told, while there is no room.
    pub(super) fn closed(&self) -> Option<Unanswered> {
        let wait = self.closed_until()?.duration_since(Instant::now());
        Some(self.later(wait.as_secs_f64().max(1.0)))
    }

    /// Reserves one call for a job.
    pub(super) async fn reserve(
        &self,
        context: &Context<'_>,
        tokens: u64,
    ) -> Result<Reserved, Unanswered> {
        let mut reserved = Reserved {
            rpc: context.rpc.clone(),
            limit: None,
            lease: None,
        };
        if !self.is_checked {
            return Ok(reserved);
        }
        let limit = self.limit(context).await.map_err(|error| self.no(error))?;
        if !limit.is_of_queue {
            context.used(0, 0); // the claim has reserved a call that is not made
        } else if context.take_reservation() {
            reserved.limit = Some(limit);
            return Ok(reserved);
        }
        if let Some(trouble) = self.closed() {
            return Err(trouble);
        }
        let (provider, endpoint) = (&limit.provider_name, &limit.api_endpoint);
        let answer = context.rpc.reserve_api_capacity(provider, endpoint, tokens);
        let answer = answer.await.map_err(|error| self.no(error))?;
        if !answer.granted {
            let seconds = answer.retry_after_seconds.max(1);
            let until = Instant::now() + Duration::from_secs(seconds.into());
            *lock(&self.closed_until) = Some(until);
            return Err(self.later(seconds.into()));
        }
        reserved.limit = Some(limit);
        reserved.lease = answer.lease_id;
        Ok(reserved)
    }

    async fn limit(&self, context: &Context<'_>) -> Result<CallLimit, RpcError> {
        if let Some((at, limit)) = lock(&self.known).get(&context.queue)
            && at.elapsed() < KNOWN_FOR
        {
            return Ok(limit.clone());
        }
        let limit = context
            .rpc
            .limit_of_call(self.provider, &self.model, &context.queue)
            .await?;
        let known = (Instant::now(), limit.clone());
        lock(&self.known).insert(context.queue.clone(), known);
        Ok(limit)
    }

    fn later(&self, seconds: f64) -> Unanswered {
        let message = format!("the limit of {} has no room for now", self.provider);
        let failure = Failure::retryable("rate_limited", message).provider(self.provider);
        Unanswered::Later(seconds, failure)
    }

    // GM020: there is no such limit. GM021: the job asks for more tokens than the limit ever admits.
    fn no(&self, error: RpcError) -> Unanswered {
        match error {
            RpcError::Refused { code, message, .. } if code == "GM020" => {
                tracing::warn!(message, "calls wait until a limit is configured");
                let failure = Failure::retryable("no_limit", message);
                Unanswered::Later(UNCONFIGURED_SECONDS, failure)
            }
            RpcError::Refused { code, message, .. } if code == "GM021" => {
                Unanswered::Failed(Failure::permanent("over_limit", message))
            }
            other => Unanswered::Rpc(other),
        }
    }
}

impl Reserved {
    /// The provider has answered, or has not: gives the slot back with what was really used. A provider that asks to come back later is
    /// on record, so that nobody else calls it before.
    pub(super) async fn settle<T>(
        mut self,
        context: &Context<'_>,
        answered: Result<(T, u64), Unanswered>,
    ) -> Result<(T, u64), Unanswered> {
        let tokens = answered.as_ref().map_or(0, |(_, tokens)| *tokens);
        if let (Err(Unanswered::Later(seconds, _)), Some(limit)) = (&answered, &self.limit) {
            let (provider, endpoint) = (&limit.provider_name, &limit.api_endpoint);
            let told =
                self.rpc
                    .report_api_rate_limit(provider, endpoint, Some(seconds.ceil() as u32));
            if let Err(error) = told.await {
                tracing::warn!(%error, "a provider's refusal could not be recorded");
            }
        }
        match (self.lease.take(), &self.limit) {
            (Some(lease), _) => {
                if let Err(error) = self.rpc.settle_api_capacity(lease, tokens).await {
                    tracing::warn!(%error, "a call could not be settled; its slot comes back by itself");
                }
            }
            (None, Some(_)) => context.used(1, tokens),
            (None, None) => {}
        }
        answered
    }
}

impl Drop for Reserved {
    // The job was cancelled while the provider was asked. The request counts; what it used is not known.
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            let rpc = self.rpc.clone();
            tokio::spawn(async move { rpc.settle_api_capacity(lease, 0).await });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // No code that could panic runs under the lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
