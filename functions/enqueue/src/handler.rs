//! Take apart, ask Postgres, answer.

use gristmill_shared::edge::{Call, Config, MAX_BODY, Reply};
use gristmill_shared::job::JobId;
use gristmill_shared::{Code, Problem, json};
use worker::Method;

use crate::domain::Submission;

pub(crate) async fn route(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    match (call.method.clone(), call.path().as_slice()) {
        (Method::Post, []) => submit(call, config).await,
        (Method::Get, [id]) => {
            // What is no id cannot be a job's: the same answer as for one that does not exist.
            let id = id.parse().map_err(|_| no_such_job())?;
            show(call, config, id).await
        }
        (_, [] | [_]) => Err(Problem::new(
            Code::MethodNotAllowed,
            "Use POST to submit a job, GET /{id} to see one.",
        )),
        _ => Err(Problem::new(
            Code::NotFound,
            "There is nothing at this path.",
        )),
    }
}

async fn submit(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let submission: Submission = json::parse(&call.body(MAX_BODY).await?)?;
    let job = submission.into_job(call.correlation_id.clone())?;
    let submitted = rpc.submit_job(&job).await?;
    Reply::json(202, &submitted)
}

async fn show(call: &Call, config: &Config, id: JobId) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let job = rpc.get_job(id).await?.ok_or_else(no_such_job)?;
    Reply::json(200, &job)
}

fn no_such_job() -> Problem {
    Problem::new(Code::NotFound, "There is no such job, or it is not yours.")
}
