//! The calls about jobs that the library does not have: a client of it needs none of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Rpc, RpcError};
use gristmill_core::job::{JobId, NewJob, Submitted};

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

    /// Why a job is not running, as far as the token's owner may know; as Postgres wrote it, `null` for a job that is not theirs.
    pub async fn explain_job(&self, id: JobId) -> Result<Box<RawValue>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_id: JobId,
        }
        self.call("explain_job", &Arguments { p_id: id }).await
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

    /// The queues that a container worker serves.
    pub async fn worker_queues(&self) -> Result<Vec<String>, RpcError> {
        self.call("worker_queues", &serde_json::json!({})).await
    }
}
