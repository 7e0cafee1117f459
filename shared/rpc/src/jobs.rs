//! The calls about jobs that the library does not have: a client of it needs none of them.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Rpc, RpcError};
use gristmill_core::job::{JobId, NewJob, Submitted};

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

    /// The queues that a container worker serves.
    pub async fn worker_queues(&self) -> Result<Vec<String>, RpcError> {
        self.call("worker_queues", &serde_json::json!({})).await
    }
}
