//! The way to Postgres: PostgREST RPCs over HTTP, one typed method each.

mod audit;
mod compat;
mod documents;
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

use gristmill::Client;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use audit::{AuditEvent, AuditFinding, AuditVerdict};
pub use compat::{RegisteredFile, StoredFile};
pub use documents::{
    Begun, BegunStage, BegunUpload, Decision, DocumentFile, FinishedUpload, Leftovers, Measured,
    Recovered, RefusedDocument, StageRefusal, StagedDocument, Thresholds, UnfinishedUpload,
};
pub use files::ObjectAct;
pub use gristmill::CallError as RpcError;
pub use jobs::WakeUp;
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

use gristmill_core::Traceparent;
use gristmill_core::job::Holder;

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
    client: Client,
    once: Option<Once>,
    ticket: Option<String>,
    schemas: Schemas,
}

impl Rpc {
    /// `url` is where PostgREST answers, `api_key` what the platform's front wants to see, `token` whose
    /// rights the calls have: a user's own, or the service key.
    pub fn new(url: &str, api_key: &str, token: &str) -> Self {
        Self {
            client: Client::at(url, api_key, token),
            once: None,
            ticket: None,
            schemas: Schemas::default(),
        }
    }

    /// The library's client with the same rights: what is about jobs is called by it.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Makes the calls carry the span of a job.
    pub fn traced(&self, traceparent: &str) -> Self {
        Self {
            client: self.client.clone().traced(traceparent),
            once: self.once.clone(),
            ticket: self.ticket.clone(),
            schemas: self.schemas.clone(),
        }
    }

    /// Names the request that the calls belong to: audit rows and the gateway's log carry it.
    pub fn correlated(mut self, correlation_id: &str) -> Self {
        self.client = self.client.correlated(correlation_id);
        self
    }

    /// Names the trace that the calls belong to, where there is one.
    pub fn in_trace(mut self, parent: Option<Traceparent>) -> Self {
        if let Some(parent) = parent {
            self.client = self.client.traced(&parent.to_string());
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
        // Postgres knows by itself in which schema a function is that a ticket is for.
        if let Some(ticket) = &self.ticket {
            let shown = Shown {
                p_ticket: ticket,
                p_function: function,
                p_arguments: arguments,
            };
            return self.client.call("read_with_ticket", &shown).await;
        }
        match schema {
            Some(schema) => {
                let client = self.client.clone().in_schema(schema);
                client.call(function, arguments).await
            }
            None => self.client.call(function, arguments).await,
        }
    }
}
