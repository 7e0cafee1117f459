//! One invocation, and cron triggers. The invocation is the library's; here are the bindings, the problems that a caller sees, and our jobs.

use gristmill::invocation::{Invocation, MAX_BYTES};
use gristmill_core::{Problem, json};
use gristmill_edge::{Call, Config, Reply};

use crate::jobs;
use crate::refresh::Refreshes;

pub(crate) async fn invoked(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let body = call.signed_body(config, MAX_BYTES).await?;
    let asked: Invocation = json::parse(&body)?;
    let rpc = config.service_rpc()?;
    let client = rpc.client().clone();
    let jobs = jobs::all()
        .batch(Refreshes::new(rpc, config.env().clone()))
        .state(config.env().clone());
    Reply::json(200, &asked.serve(&client, &jobs).await?)
}

/// What a cron trigger stands for. A failure is logged: the next trigger tries again.
pub(crate) async fn scheduled(config: &Config, schedule: &str) {
    let ran = match config.service_rpc() {
        Ok(rpc) => rpc
            .run_schedules("processor", schedule)
            .await
            .map_err(Problem::from),
        Err(problem) => Err(problem),
    };
    match ran {
        Ok(ran) => worker::console_log!(
            "{}",
            serde_json::json!({ "function": "processor", "schedule": schedule, "ran": ran })
        ),
        Err(problem) => worker::console_error!(
            "{}",
            serde_json::json!({ "function": "processor", "schedule": schedule,
                "code": problem.code.as_str(), "cause": problem.cause })
        ),
    }
}
