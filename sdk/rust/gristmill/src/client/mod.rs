//! The way to Postgres: RPCs of PostgREST over HTTP.

mod enqueue;
mod error;
#[cfg(all(feature = "edge", target_arch = "wasm32"))]
mod fetch;
mod jobs;
#[cfg(all(feature = "client", not(target_arch = "wasm32")))]
mod native;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use enqueue::{Enqueue, EnqueueStatus, Enqueued};
pub use error::CallError;
pub use jobs::{Claim, KeptLine, LeaseAnswer, LeaseStatus, LeaseToExtend, SettledAndClaimed};

#[cfg(all(feature = "edge", target_arch = "wasm32"))]
use fetch::Transport;
#[cfg(all(feature = "client", not(target_arch = "wasm32")))]
use native::Transport;
#[cfg(not(any(
    all(feature = "client", not(target_arch = "wasm32")),
    all(feature = "edge", target_arch = "wasm32")
)))]
use transport::Transport;

use crate::time::within;
use transport::Unsent;

/// Calls of Postgres over HTTP, with the rights of one key. Cheap to clone.
///
/// ```no_run
/// # use gristmill::{Client, Job};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// #[job(kind = "thumbnail", queue = "pictures")]
/// struct Thumbnail {
///     object: String,
///     width: u16,
/// }
///
/// # async fn enqueue() -> Result<(), gristmill::CallError> {
/// let client = Client::new("https://project.example.com", "the service key");
/// let enqueued = client
///     .enqueue(&Thumbnail { object: "cat.png".into(), width: 200 })
///     .group_key("tenant-7")
///     .await?;
/// println!("{:?}", enqueued.id);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    rest: Arc<str>,
    headers: Arc<Vec<(&'static str, String)>>,
    traceparent: Option<Arc<str>>,
    timeout: Duration,
    transport: Transport,
}

impl std::fmt::Debug for Client {
    // Without its key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("rest", &self.rest)
            .finish_non_exhaustive()
    }
}

/// A variable of the environment that is not set.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is not set in the environment (beside gristmill dev: eval \"$(npx gristmill dev --env)\")"
)]
pub struct NotSet(pub &'static str);

/// As a sentence: `main` prints an error that it returns in this form.
impl std::fmt::Debug for NotSet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, formatter)
    }
}

/// An answer, and when it was given by the clock of the answering side.
pub(crate) struct Dated<T> {
    pub(crate) answer: T,
    #[cfg_attr(
        not(feature = "worker"),
        allow(dead_code, reason = "only a worker counts leases")
    )]
    pub(crate) at: Option<DateTime<Utc>>,
}

impl Client {
    /// `url` is the project's, below which PostgREST answers at `/rest/v1`; `key` is the service key, or another whose rights suffice.
    pub fn new(url: &str, key: &str) -> Self {
        Self::at(&format!("{}/rest/v1", url.trim_end_matches('/')), key, key)
    }

    /// `rest` is where PostgREST answers, `api_key` what the platform's front wants to see, `token` whose rights the calls have.
    pub fn at(rest: &str, api_key: &str, token: &str) -> Self {
        let headers = vec![
            ("apikey", api_key.to_owned()),
            ("authorization", format!("Bearer {token}")),
            ("content-type", "application/json".to_owned()),
        ];
        let rest = rest.trim_end_matches('/');
        Self {
            rest: rest.into(),
            headers: Arc::new(headers),
            traceparent: None,
            timeout: Duration::from_secs(10),
            transport: Transport::new(rest),
        }
    }

    /// From `SUPABASE_URL` and `SUPABASE_SERVICE_ROLE_KEY`. While the key is changed the variable may have several, separated by blanks: the
    /// first is used.
    pub fn from_env() -> Result<Self, NotSet> {
        let read = |name| {
            let value = std::env::var(name).unwrap_or_default();
            let first = value.split_whitespace().next().map(str::to_owned);
            first.ok_or(NotSet(name))
        };
        let (url, key) = (read("SUPABASE_URL")?, read("SUPABASE_SERVICE_ROLE_KEY")?);
        Ok(Self::new(&url, &key))
    }

    /// Calls have the rights of whoever holds `token`, a user for example.
    pub fn acting_for(mut self, token: &str) -> Self {
        self.set("authorization", format!("Bearer {token}"));
        self
    }

    /// The functions are in another schema than `public`.
    pub fn in_schema(mut self, schema: &str) -> Self {
        self.set("content-profile", schema.to_owned());
        self
    }

    /// Every call carries this id; audit rows and the gateway's log have it.
    pub fn correlated(mut self, id: &str) -> Self {
        self.set("x-correlation-id", id.to_owned());
        self
    }

    /// Every call carries this span, and jobs that are enqueued keep it.
    pub fn traced(mut self, traceparent: &str) -> Self {
        self.traceparent = Some(traceparent.into());
        self
    }

    fn set(&mut self, name: &'static str, value: String) {
        let headers = Arc::make_mut(&mut self.headers);
        headers.retain(|(other, _)| *other != name);
        headers.push((name, value));
    }

    /// One call of a function of Postgres. Of your own functions too: they see the rights of the key.
    pub async fn call<T: DeserializeOwned>(
        &self,
        function: &str,
        arguments: &impl Serialize,
    ) -> Result<T, CallError> {
        Ok(self.call_dated(function, arguments).await?.answer)
    }

    /// One call, made again while the error will pass by itself, at most `tries` times in all. For calls that may be repeated safely.
    pub async fn call_again<T: DeserializeOwned>(
        &self,
        function: &str,
        arguments: &impl Serialize,
        tries: u32,
    ) -> Result<T, CallError> {
        again!(tries, self.call(function, arguments))
    }

    pub(crate) async fn call_dated<T: DeserializeOwned>(
        &self,
        function: &str,
        arguments: &impl Serialize,
    ) -> Result<Dated<T>, CallError> {
        let body = serde_json::to_string(arguments).map_err(CallError::Arguments)?;
        let url = format!("{}/rpc/{function}", self.rest);
        let mut headers: Vec<(&str, &str)> = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        if let Some(traceparent) = &self.traceparent {
            headers.push(("traceparent", traceparent));
        }
        let answer = within(self.timeout, self.transport.post(&url, &headers, body))
            .await
            .map_err(|_| CallError::TimedOut {
                function: function.to_owned(),
            })?
            .map_err(|unsent| match unsent {
                Unsent::Unusable(reason) => CallError::Misconfigured(reason),
                Unsent::Lost(reason) => CallError::Unreachable(reason),
            })?;
        if !(200..300).contains(&answer.status) {
            let mut error = CallError::refused(answer.status, &answer.body);
            if let CallError::Refused { retry_after, .. } = &mut error {
                let seconds = answer.retry_after.and_then(|text| text.trim().parse().ok());
                *retry_after = seconds.map(Duration::from_secs);
            }
            return Err(error);
        }
        // A function that returns void is answered with no body.
        let body: &[u8] = match answer.body.is_empty() {
            true => b"null",
            false => &answer.body,
        };
        let parsed = serde_json::from_slice(body).map_err(|source| CallError::Answer {
            function: function.to_owned(),
            source,
        })?;
        let at = answer.date.as_deref().map(DateTime::parse_from_rfc2822);
        Ok(Dated {
            answer: parsed,
            at: at.and_then(Result::ok).map(Into::into),
        })
    }
}

/// Calls until it is answered, or refused for good, or `tries` are used up, or there would be no time for another before `until`. Between tries
/// it pauses as docs/protocol.md says.
///
/// A macro: the future of a function that takes an `AsyncFn` is not known to be `Send`.
macro_rules! again {
    (until $until:expr, $call:expr) => {
        $crate::client::again!(while pause, chrono::Utc::now() + pause < $until, $call)
    };
    (while $pause:ident, $may_go_on:expr, $call:expr) => {{
        let mut backoff = $crate::time::Backoff::of_calls();
        loop {
            match $call.await {
                Err(error) if $crate::CallError::is_passing(&error) => {
                    let $pause = backoff.pause(error.retry_after());
                    if !($may_go_on) {
                        break Err(error);
                    }
                    $crate::time::sleep($pause).await;
                }
                ended => break ended,
            }
        }
    }};
    ($tries:expr, $call:expr) => {{
        let mut left: u32 = $tries;
        $crate::client::again!(
            while pause,
            {
                left = left.saturating_sub(1);
                left > 0
            },
            $call
        )
    }};
}
pub(crate) use again;
