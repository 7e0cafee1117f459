//! One run: every step in its order, each by itself.

use std::collections::BTreeMap;

use gristmill_core::{Code, Problem, json};
use gristmill_edge::storage::{self, Store};
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::Rpc;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::{Deleted, Report, StepReport};

const MAX_INVOCATION: usize = 4096;

/// The body that Postgres sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Invocation {
    /// Why the cleanup runs: `schedule`, or what an operator wrote.
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

/// The step that removes exported files.
const EXPORT_FILES: &str = "export_files";

/// Expired exports alone, for those who know this function as cleanup-exports: the service by its key, or our Postgres by a signature.
pub(crate) async fn exports(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    if !call.holds(config, "SUPABASE_SERVICE_ROLE_KEY") {
        call.signed_body(config, MAX_INVOCATION).await?;
    }
    let report = run_step(&config.service_rpc()?, config, EXPORT_FILES).await;
    if let Some(error) = report.error {
        let problem = Problem::new(Code::DatabaseUnavailable, "Try again in a few seconds.");
        return Err(problem.because(error));
    }
    let deleted = report.done.get("objects").copied().unwrap_or_default();
    Reply::json(
        200,
        &Deleted {
            deleted: deleted as u64,
        },
    )
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
        match storage::clean(rpc, || Store::open_for_service(config), step).await {
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
