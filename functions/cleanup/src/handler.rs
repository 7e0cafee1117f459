//! One run: every step in its order, each by itself.

use std::collections::BTreeMap;

use gristmill_shared::edge::{Call, Config, Reply};
use gristmill_shared::rpc::Rpc;
use gristmill_shared::{Problem, json};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::{Report, StepReport};

const MAX_INVOCATION: usize = 4096;

/// What Postgres asks for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Invocation {
    /// Why: `schedule`, or what an operator wrote.
    #[allow(
        dead_code,
        reason = "for the reader of a request; nothing depends on it"
    )]
    reason: String,
}

pub(crate) async fn invoked(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let body = call.signed_body(config, MAX_INVOCATION).await?;
    let _: Invocation = json::parse(&body)?;
    Reply::json(200, &run(config).await?)
}

/// The same, for a cron trigger.
pub(crate) async fn scheduled(config: &Config) {
    let line = match run(config).await {
        Ok(report) => serde_json::json!({ "function": "cleanup", "report": report }),
        Err(problem) => serde_json::json!({ "function": "cleanup", "code": problem.code.as_str(),
            "cause": problem.cause }),
    };
    worker::console_log!("{line}");
}

async fn run(config: &Config) -> Result<Report, Problem> {
    let rpc = config.service_rpc()?;
    let mut steps = BTreeMap::new();
    for step in rpc.cleanup_steps().await? {
        let report = run_step(&rpc, &step).await;
        steps.insert(step, report);
    }
    Ok(Report { steps })
}

async fn run_step(rpc: &Rpc, step: &str) -> StepReport {
    let mut report = StepReport::new();
    loop {
        let piece = match rpc.run_cleanup_step(step).await {
            Ok(piece) => piece,
            Err(error) => {
                report.fail(Problem::from(error).code.as_str());
                return report;
            }
        };
        if !report.add(piece) {
            return report;
        }
    }
}
