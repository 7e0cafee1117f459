//! The calls about jobs. Only here are the names of Postgres functions spelled.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Rpc, RpcError};
use gristmill_core::job::{
    ClaimedJob, InvocationId, JobId, NewJob, Settled, Settlement, Submitted,
};

/// A lease that its worker still wants.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LeaseToExtend {
    /// The job.
    pub id: JobId,
    /// The attempt that was claimed.
    pub attempt: u32,
    /// How far it is, in percent.
    pub progress: u8,
}

/// What became of it.
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

/// A request that Postgres has signed, for whoever sends it first: it starts the function that serves a queue.
#[derive(Debug, Deserialize)]
pub struct WakeUp {
    /// Where the function answers.
    pub url: String,
    /// With the signature; of the body as it is.
    pub headers: BTreeMap<String, String>,
    /// The text that was signed.
    pub body: String,
}

impl Rpc {
    /// Enqueues one job for the token's owner.
    pub async fn submit_job(&self, job: &NewJob) -> Result<Submitted, RpcError> {
        self.create("submit_job", job).await
    }

    /// One job, when it exists and the token's owner may see it; as Postgres wrote it.
    pub async fn get_job(&self, id: JobId) -> Result<Option<Box<RawValue>>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_id: JobId,
        }
        let job: Box<RawValue> = self.call("get_job", &Arguments { p_id: id }).await?;
        Ok((job.get() != "null").then_some(job))
    }

    /// The request that starts the function of this job's queue, where Postgres has asked for one and nobody has begun to send it. By the
    /// service only.
    pub async fn claim_wake_up(&self, job: JobId) -> Result<Option<WakeUp>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_job: JobId,
        }
        self.call("claim_wake_up", &Arguments { p_job: job }).await
    }

    /// Leases up to `max` due jobs of a queue. An invocation claims once, however often it is replayed.
    pub async fn claim_jobs(
        &self,
        worker: &str,
        queue: &str,
        max: u32,
        invocation: Option<InvocationId>,
    ) -> Result<Vec<ClaimedJob>, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_queues: [&'a str; 1],
            p_max: u32,
            p_invocation: Option<InvocationId>,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_queues: [queue],
            p_max: max,
            p_invocation: invocation,
        };
        self.call("claim_jobs", &arguments).await
    }

    /// Leases up to `max` due jobs of some kinds from any of the queues, but for those that are left to workers of others.
    pub async fn claim_kinds(
        &self,
        worker: &str,
        queues: &[String],
        max: u32,
        kinds: &[&str],
    ) -> Result<Vec<ClaimedJob>, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_queues: &'a [String],
            p_max: u32,
            p_kinds: &'a [&'a str],
            p_leave_external: bool,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_queues: queues,
            p_max: max,
            p_kinds: kinds,
            p_leave_external: true,
        };
        self.call("claim_jobs", &arguments).await
    }

    /// The queues that a container worker serves.
    pub async fn worker_queues(&self) -> Result<Vec<String>, RpcError> {
        self.call("worker_queues", &serde_json::json!({})).await
    }

    /// Extends leases; says which are no longer held.
    pub async fn heartbeat_jobs(
        &self,
        worker: &str,
        leases: &[LeaseToExtend],
    ) -> Result<Vec<LeaseAnswer>, RpcError> {
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
    ) -> Result<Vec<Settled>, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_outcomes: &'a [Settlement],
            p_invocation: Option<InvocationId>,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_outcomes: settlements,
            p_invocation: invocation,
        };
        self.call("settle_jobs", &arguments).await
    }
}
