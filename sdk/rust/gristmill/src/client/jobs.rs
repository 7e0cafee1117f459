//! The calls about jobs that docs/protocol.md names. Only here are their names spelled.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CallError, Client, Dated};
use crate::job::{ClaimedJob, InvocationId, JobId};
use crate::outcome::{Level, LogLine, Settled, Settlement};
use crate::workflow::{Workflow, WorkflowRegistered};
use crate::{Definition, Registered};

/// A lease that its worker still wants.
#[derive(Debug, Clone, Serialize)]
pub struct LeaseToExtend {
    /// The job.
    pub id: JobId,
    /// The attempt that was claimed.
    pub attempt: u32,
    /// How far it is, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    /// What the job has logged since the last heartbeat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogLine>,
}

/// What became of a lease.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct LeaseAnswer {
    /// The job.
    pub id: JobId,
    /// Whether it is still held.
    pub status: LeaseStatus,
}

/// Whether a lease is still held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaseStatus {
    /// It is, and was extended.
    Held,
    /// It ran out: somebody else may run the job.
    Lost,
    /// Somebody cancelled the job.
    Cancelled,
}

/// What to claim.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Claim<'a> {
    /// Queues to claim from.
    #[serde(rename = "p_queues")]
    pub queues: &'a [String],
    /// How many at the most; 1,000 are given in one call.
    #[serde(rename = "p_max")]
    pub max: u32,
    /// Only these kinds. `None` costs less, where every kind of the queues is handled.
    #[serde(rename = "p_kinds", skip_serializing_if = "Option::is_none")]
    pub kinds: Option<&'a [String]>,
    /// Leaves out queues that are left to workers of others.
    #[serde(
        rename = "p_leave_external",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub leave_external: bool,
}

/// What `settle_and_claim` answered.
#[derive(Debug, Deserialize)]
pub struct SettledAndClaimed {
    /// What became of the outcomes.
    pub settled: Vec<Settled>,
    /// The next jobs. Fewer than are due, perhaps; only none at all means that the worker should rest.
    pub jobs: Vec<ClaimedJob>,
}

/// A line of a job's log, as Postgres keeps it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct KeptLine {
    /// Grows from line to line.
    pub n: u64,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// By which attempt.
    pub attempt: u32,
    /// How important it is.
    pub level: Level,
    /// A sentence.
    pub message: String,
    /// Figures beside it.
    #[serde(default)]
    pub data: Option<Map<String, Value>>,
}

#[derive(Serialize)]
struct Claiming<'a> {
    p_worker: &'a str,
    #[serde(flatten)]
    claim: Claim<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p_invocation: Option<InvocationId>,
}

impl Client {
    /// Leases due jobs. An invocation claims once, however often it is replayed.
    pub async fn claim_jobs(
        &self,
        worker: &str,
        claim: Claim<'_>,
        invocation: Option<InvocationId>,
    ) -> Result<Vec<ClaimedJob>, CallError> {
        Ok(self.claim_dated(worker, claim, invocation).await?.answer)
    }

    pub(crate) async fn claim_dated(
        &self,
        worker: &str,
        claim: Claim<'_>,
        invocation: Option<InvocationId>,
    ) -> Result<Dated<Vec<ClaimedJob>>, CallError> {
        let arguments = Claiming {
            p_worker: worker,
            claim,
            p_invocation: invocation,
        };
        self.call_dated("claim_jobs", &arguments).await
    }

    /// Extends leases; says which are no longer held.
    pub async fn heartbeat_jobs(
        &self,
        worker: &str,
        leases: &[LeaseToExtend],
    ) -> Result<Vec<LeaseAnswer>, CallError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_leases: &'a [LeaseToExtend],
        }
        let arguments = Arguments {
            p_worker: worker,
            p_leases: leases,
        };
        self.call("heartbeat_jobs", &arguments).await
    }

    /// Settles a batch. Saying it twice is harmless: the second time everything is `lost`.
    pub async fn settle_jobs(
        &self,
        worker: &str,
        settlements: &[Settlement],
        invocation: Option<InvocationId>,
    ) -> Result<Vec<Settled>, CallError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_outcomes: &'a [Settlement],
            #[serde(skip_serializing_if = "Option::is_none")]
            p_invocation: Option<InvocationId>,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_outcomes: settlements,
            p_invocation: invocation,
        };
        self.call("settle_jobs", &arguments).await
    }

    /// Settles a batch and claims the next, in one round trip and one transaction.
    pub async fn settle_and_claim(
        &self,
        worker: &str,
        settlements: &[Settlement],
        claim: Claim<'_>,
    ) -> Result<SettledAndClaimed, CallError> {
        let answer = self.settle_and_claim_dated(worker, settlements, claim);
        Ok(answer.await?.answer)
    }

    pub(crate) async fn settle_and_claim_dated(
        &self,
        worker: &str,
        settlements: &[Settlement],
        claim: Claim<'_>,
    ) -> Result<Dated<SettledAndClaimed>, CallError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_outcomes: &'a [Settlement],
            #[serde(flatten)]
            claim: Claim<'a>,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_outcomes: settlements,
            claim,
        };
        self.call_dated("settle_and_claim", &arguments).await
    }

    /// Creates and updates queues and kinds. What an operator has changed is kept, and listed in the answer. It may be called at every start.
    pub async fn register(&self, definition: &Definition) -> Result<Registered, CallError> {
        self.register_with(definition, false).await
    }

    /// The same, and overwrites what an operator has changed.
    pub async fn register_by_force(
        &self,
        definition: &Definition,
    ) -> Result<Registered, CallError> {
        self.register_with(definition, true).await
    }

    async fn register_with(
        &self,
        definition: &Definition,
        force: bool,
    ) -> Result<Registered, CallError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_definition: &'a Definition,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            p_force: bool,
        }
        let arguments = Arguments {
            p_definition: definition,
            p_force: force,
        };
        self.call_again("register_jobs", &arguments, 5).await
    }

    /// Writes the definition of a workflow where it has changed. It may be called at every start: a version that was started stays as it is, and the
    /// next one is made.
    pub async fn register_workflow(
        &self,
        workflow: &Workflow,
    ) -> Result<WorkflowRegistered, CallError> {
        let arguments = serde_json::json!({ "p_definition": workflow.definition() });
        self.call_again("register_workflow", &arguments, 5).await
    }

    /// The log of a job, from the line after `after` on; 0 for all.
    pub async fn job_logs(&self, id: JobId, after: u64) -> Result<Vec<KeptLine>, CallError> {
        #[derive(Serialize)]
        struct Arguments {
            p_id: JobId,
            p_after: u64,
        }
        let arguments = Arguments {
            p_id: id,
            p_after: after,
        };
        self.call_again("get_job_logs", &arguments, 3).await
    }
}
