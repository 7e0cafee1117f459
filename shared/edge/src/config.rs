//! Bindings by name. The names are those that Supabase gives its functions, so that there nothing needs
//! to be set but INVOKE_SECRET.

use std::cell::{Cell, OnceCell};

use uuid::Uuid;
use worker::Env;

use gristmill_core::job::JobId;
use gristmill_core::signature::Key;
use gristmill_core::{Code, Problem, Traceparent};
use gristmill_files::link::Signer;
use gristmill_rpc::{Once, Rpc, Schemas};

/// What a function was deployed with.
pub struct Config {
    env: Env,
    correlation_id: String,
    traceparent: Option<Traceparent>,
    enqueued: Cell<Option<(String, JobId)>>,
    once: OnceCell<Once>,
}

impl Config {
    pub(super) fn new(env: Env, correlation_id: &str, traceparent: Option<Traceparent>) -> Self {
        Self {
            env,
            correlation_id: correlation_id.to_owned(),
            traceparent,
            enqueued: Cell::new(None),
            once: OnceCell::new(),
        }
    }

    /// Says that the request has enqueued this job. A function that [wakes](super::Routes::wakes) has it started after the answer.
    pub fn enqueued(&self, kind: String, job: JobId) {
        self.enqueued.set(Some((kind, job)));
    }

    pub(super) fn take_enqueued(&self) -> Option<(String, JobId)> {
        self.enqueued.take()
    }

    pub(super) fn traceparent(&self) -> Option<Traceparent> {
        self.traceparent
    }

    /// Whatever this request creates is created under a key.
    pub(super) fn create_once(&self, once: Once) {
        let _ = self.once.set(once); // a request has one key
    }

    /// Whether the answer was given before, under the same key.
    pub(super) fn is_replay(&self) -> bool {
        self.once.get().is_some_and(Once::is_replay)
    }

    /// A binding that may be absent.
    pub fn optional(&self, name: &str) -> Option<String> {
        self.env
            .var(name)
            .ok()
            .map(|value| value.to_string())
            .filter(|value| !value.is_empty())
    }

    /// An R2 bucket that may be absent.
    pub(crate) fn bucket(&self, name: &str) -> Option<worker::Bucket> {
        self.env.bucket(name).ok()
    }

    /// The problem of a deployment that lacks something; only the log says what.
    pub(crate) fn incomplete(&self, what: &str) -> Problem {
        Problem::new(
            Code::Misconfigured,
            "An operator must complete the deployment.",
        )
        .because(what)
    }

    /// The service's own key. Of several the first: while the key is changed, holders of each are let in (see `Call::holds`).
    pub(crate) fn service_key(&self) -> Result<String, Problem> {
        let keys = self.required("SUPABASE_SERVICE_ROLE_KEY")?;
        let first = keys.split_whitespace().next();
        Ok(first.unwrap_or_default().to_owned())
    }

    /// Where the Supabase Storage API answers.
    pub(crate) fn storage_url(&self) -> Result<String, Problem> {
        Ok(format!(
            "{}/storage/v1",
            self.required("SUPABASE_URL")?.trim_end_matches('/')
        ))
    }

    /// Where signed links to R2's objects lead: the function `documents`.
    pub(crate) fn files_url(&self) -> Result<String, Problem> {
        match self.optional("FILES_URL") {
            Some(url) => Ok(url.trim_end_matches('/').to_owned()),
            None => Ok(format!(
                "{}/functions/v1/documents",
                self.required("SUPABASE_URL")?.trim_end_matches('/')
            )),
        }
    }

    /// Signs and checks those links.
    pub fn files_signer(&self) -> Result<Signer, Problem> {
        Ok(Signer::new(&self.required("FILES_SECRET")?))
    }

    pub(super) fn required(&self, name: &str) -> Result<String, Problem> {
        self.optional(name).ok_or_else(|| {
            Problem::new(
                Code::Misconfigured,
                "An operator must complete the deployment.",
            )
            .because(format!("the binding {name} is not set"))
        })
    }

    fn rest_url(&self) -> Result<String, Problem> {
        Ok(format!(
            "{}/rest/v1",
            self.required("SUPABASE_URL")?.trim_end_matches('/')
        ))
    }

    /// Where applications lie that are not in `public`.
    fn schemas(&self) -> Result<Schemas, Problem> {
        Schemas::read(|name| self.optional(name))
            .map_err(|error| self.incomplete(&error.to_string()))
    }

    /// Postgres with the rights of whoever holds `token`.
    pub fn rpc_for(&self, token: &str) -> Result<Rpc, Problem> {
        let key = self.required("SUPABASE_ANON_KEY")?;
        Ok(Rpc::new(&self.rest_url()?, &key, token)
            .correlated(&self.correlation_id)
            .traced(self.traceparent)
            .in_schemas(self.schemas()?)
            .once(self.once.get().cloned()))
    }

    /// Postgres with the rights of the service; for processor, cleanup, health and audit, and to wake a function after an answer.
    pub fn service_rpc(&self) -> Result<Rpc, Problem> {
        let key = self.service_key()?;
        Ok(Rpc::new(&self.rest_url()?, &key, &key)
            .correlated(&self.correlation_id)
            .traced(self.traceparent)
            .in_schemas(self.schemas()?))
    }

    /// The key that signs invocations.
    pub fn invoke_key(&self) -> Result<Key, Problem> {
        self.key("INVOKE_SECRET")
    }

    /// A signing key, in the form of Standard Webhooks; or several, while the key is changed.
    pub fn key(&self, name: &str) -> Result<Key, Problem> {
        Key::parse(&self.required(name)?).map_err(|error| {
            Problem::new(
                Code::Misconfigured,
                "An operator must complete the deployment.",
            )
            .because(error)
        })
    }
}

/// The same bindings outside a request: for scheduled events.
impl From<Env> for Config {
    fn from(env: Env) -> Self {
        Self::new(env, &Uuid::now_v7().to_string(), None)
    }
}
