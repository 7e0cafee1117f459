//! One run: every step in its order, each by itself.

use std::collections::BTreeMap;

use gristmill_shared::edge::{Call, Config, Reply};
use gristmill_shared::rpc::{CleanupReport, Rpc};
use gristmill_shared::storage::{ObjectKey, Storage, Store};
use gristmill_shared::{Code, Problem, json};
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
        let report = run_step(&rpc, config, &step).await;
        steps.insert(step, report);
    }
    Ok(Report { steps })
}

async fn run_step(rpc: &Rpc, config: &Config, step: &str) -> StepReport {
    let mut report = StepReport::new();
    loop {
        match run_piece(rpc, config, step).await {
            Ok(piece) => {
                if !report.add(piece) {
                    return report;
                }
            }
            Err(problem) => {
                let line = serde_json::json!({ "function": "cleanup", "step": step,
                    "code": problem.code.as_str(), "cause": problem.cause });
                worker::console_error!("{line}");
                report.fail(problem.code.as_str());
                return report;
            }
        }
    }
}

// Objects go first, and only then do their rows: whatever dies in between is named again by the next run.
async fn run_piece(rpc: &Rpc, config: &Config, step: &str) -> Result<CleanupReport, Problem> {
    let mut piece = rpc.run_cleanup_step(step).await?;
    if !piece.remove.is_empty() {
        let keys = piece.remove.iter().map(|key| key.parse::<ObjectKey>());
        let keys = keys.collect::<Result<Vec<_>, _>>().map_err(|error| {
            Problem::new(Code::Internal, "A key is not one of ours.").because(error)
        })?;
        Store::open_for_service(config)?.remove(&keys).await?;
        rpc.confirm_cleanup_step(step, &piece.remove).await?;
        piece.done.insert("objects".into(), keys.len().into());
    }
    Ok(piece)
}
