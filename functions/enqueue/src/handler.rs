//! Take apart, ask Postgres, answer.

use chrono::Utc;
use gristmill_core::job::SubmitStatus;
use gristmill_core::{Code, Problem};
use gristmill_edge::{Call, Config, Reply};

use crate::domain::{self, Showing, Submission};

pub(crate) async fn submit(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let submission: Submission = call.json().await?;
    let job = submission.into_job(call.correlation_id.clone(), call.traceparent)?;
    let submitted = rpc.submit_job(&job).await?;
    let is_due = job.run_at.is_none_or(|at| at <= Utc::now());
    if is_due && submitted.status == SubmitStatus::New {
        config.enqueued(job.kind, submitted.id);
    }
    Reply::json(202, &submitted)
}

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let showing: Showing = call.read_query()?;
    let id = call.param("id")?;
    let job = rpc.get_job(id).await?;
    let job = job
        .ok_or_else(|| Problem::new(Code::NotFound, "There is no such job, or it is not yours."))?;
    if !showing.is_explained() {
        return Reply::json(200, &job);
    }
    Reply::json(200, &domain::explained(&job, &rpc.explain_job(id).await?))
}
