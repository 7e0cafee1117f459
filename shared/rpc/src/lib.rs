//! The way to Postgres: PostgREST RPCs over HTTP, one typed method each.

mod audit;
mod compat;
mod documents;
mod error;
mod exports;
mod files;
mod jobs;
mod limits;
mod once;
mod operations;
mod refresh;
mod schemas;
mod tickets;
mod usage;
mod workflows;

use std::time::Duration;

use postgrest::Postgrest;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use audit::{AuditEvent, AuditFinding, AuditVerdict};
pub use compat::{RegisteredFile, StoredFile};
pub use documents::{
    Begun, BegunStage, BegunUpload, DocumentFile, FinishedUpload, Leftovers, Measured, Recovered,
    RefusedDocument, StageRefusal, StagedDocument, UnfinishedUpload,
};
pub use error::RpcError;
pub use files::ObjectAct;
pub use jobs::{LeaseAnswer, LeaseStatus, LeaseToExtend, WakeUp};
pub use limits::{CallLimit, Capacity};
pub use once::Once;
pub use operations::{
    CleanupReport, CronJob, HealthCheck, HealthReport, MetricsReport, QueueStats, RuleState,
    RuleValue, ScheduleAge,
};
pub use refresh::ClaimedRefreshes;
pub use schemas::{BadSchema, Schemas};
pub use tickets::Ticket;
pub use usage::{Meter, ProfileUsage, UsageStatus};
pub use workflows::{
    Artifact, CancelledWorkflow, NewWorkflow, Progress, RunningTask, StartedWorkflow, StepState,
    TaskState, Workflow, WorkflowState, WorkflowStatus,
};

use gristmill_core::job::Holder;
use gristmill_core::sleep::within;
use gristmill_core::{Traceparent, trace};

/// What the holder of a job says: the fencing token and the rest of the arguments, as one object.
#[derive(Serialize)]
struct Held<'a, Rest: Serialize> {
    #[serde(flatten)]
    holder: &'a Holder,
    #[serde(flatten)]
    rest: Rest,
}

/// A call that is made with a ticket.
#[derive(Serialize)]
struct Shown<'a, A> {
    p_ticket: &'a str,
    p_function: &'static str,
    p_arguments: &'a A,
}

/// A caller's way to Postgres, under one role.
pub struct Rpc {
    client: Postgrest,
    timeout: Duration,
    once: Option<Once>,
    ticket: Option<String>,
    schemas: Schemas,
}

impl Rpc {
    /// `url` is where PostgREST answers, `api_key` what the platform's front wants to see, `token` whose
    /// rights the calls have: a user's own, or the service key.
    pub fn new(url: &str, api_key: &str, token: &str) -> Self {
        let client = Postgrest::new(url.trim_end_matches('/'))
            .insert_header("apikey", api_key)
            .insert_header("authorization", format!("Bearer {token}"));
        Self {
            client,
            timeout: Duration::from_secs(10),
            once: None,
            ticket: None,
            schemas: Schemas::default(),
        }
    }

    /// Names the request that the calls belong to: audit rows and the gateway's log carry it.
    pub fn correlated(mut self, correlation_id: &str) -> Self {
        self.client = self
            .client
            .insert_header("x-correlation-id", correlation_id);
        self
    }

    /// Names the trace that the calls belong to, where there is one.
    pub fn traced(mut self, parent: Option<Traceparent>) -> Self {
        if let Some(parent) = parent {
            self.client = self.client.insert_header(trace::HEADER, parent.to_string());
        }
        self
    }

    /// One call of the engine's; an application's go by way of `self.documents()` and its like.
    async fn call<T: DeserializeOwned>(
        &self,
        function: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, RpcError> {
        self.call_in(None, function, arguments).await
    }

    // Without a schema no profile is named: a front with one schema needs to know nothing of profiles.
    async fn call_in<T: DeserializeOwned>(
        &self,
        schema: Option<&str>,
        function: &'static str,
        arguments: &impl Serialize,
    ) -> Result<T, RpcError> {
        let written =
            |arguments: serde_json::Result<String>| arguments.map_err(RpcError::Arguments);
        let request = match (&self.ticket, schema) {
            // Postgres knows by itself in which schema the function is.
            (Some(ticket), _) => {
                let shown = Shown {
                    p_ticket: ticket,
                    p_function: function,
                    p_arguments: arguments,
                };
                let body = written(serde_json::to_string(&shown))?;
                self.client.rpc("read_with_ticket", body)
            }
            (None, schema) => {
                let body = written(serde_json::to_string(arguments))?;
                let client = self.client.clone();
                let client = match schema {
                    Some(schema) => client.schema(schema),
                    None => client,
                };
                client.rpc(function, body)
            }
        };
        let exchange = async {
            let response = request.execute().await.map_err(RpcError::unreachable)?;
            let status = response.status().as_u16();
            let body = response.bytes().await.map_err(RpcError::unreachable)?;
            Ok((status, body))
        };
        let (status, body) = within(self.timeout, exchange)
            .await
            .map_err(|_| RpcError::TimedOut { function })??;
        if !(200..300).contains(&status) {
            return Err(RpcError::refused(status, &body));
        }
        // A function that returns void is answered with no body.
        let answer: &[u8] = if body.is_empty() { b"null" } else { &body };
        serde_json::from_slice(answer).map_err(|source| RpcError::Answer { function, source })
    }
}
