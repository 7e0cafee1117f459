//! Calls that create something, made at most once per idempotency key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Rpc, RpcError};

/// A caller's key for one request, and whether its answer was given before.
#[derive(Debug, Clone)]
pub struct Once {
    key: String,
    request: String,
    is_replay: Arc<AtomicBool>,
}

impl Once {
    /// `request` is a digest of what must be the same in a retry.
    pub fn new(key: String, request: String) -> Self {
        Self {
            key,
            request,
            is_replay: Arc::default(),
        }
    }

    /// Whether a call under this key got an answer that was given before.
    pub fn is_replay(&self) -> bool {
        self.is_replay.load(Ordering::Relaxed)
    }
}

impl Rpc {
    /// Makes the calls that create something under a key; without one they are plain calls.
    pub fn once(mut self, once: Option<Once>) -> Self {
        self.once = once;
        self
    }

    /// One call of the engine's that creates something.
    pub(super) async fn create<T: DeserializeOwned>(
        &self,
        function: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, RpcError> {
        self.create_in(None, function, arguments).await
    }

    /// One call that creates something. The function must be a row of `mill.repeatable_call`; under a key Postgres knows
    /// by itself which schema it is in.
    pub(super) async fn create_in<T: DeserializeOwned>(
        &self,
        schema: Option<&str>,
        function: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a, A> {
            p_key: &'a str,
            p_function: &'static str,
            p_arguments: &'a A,
            p_request: &'a str,
        }
        #[derive(Deserialize)]
        struct Answer<T> {
            answer: T,
            replayed: bool,
        }
        let Some(once) = &self.once else {
            return self.call_in(schema, function, arguments).await;
        };
        let arguments = Arguments {
            p_key: &once.key,
            p_function: function,
            p_arguments: arguments,
            p_request: &once.request,
        };
        let answer: Answer<T> = self.call("call_once", &arguments).await?;
        once.is_replay.store(answer.replayed, Ordering::Relaxed);
        Ok(answer.answer)
    }
}
