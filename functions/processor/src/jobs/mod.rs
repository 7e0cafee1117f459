//! Which code does which kind of job. Adding a kind: a module, a line here, a row in `mill.kind`.

mod alert_webhook;
mod echo;

use gristmill_core::job::{ClaimedJob, Failure, Outcome};
use gristmill_edge::Config;

pub(crate) async fn run(job: &ClaimedJob, config: &Config) -> Outcome {
    match job.kind.as_str() {
        "alert_webhook" => alert_webhook::run(&job.payload, config).await,
        "echo" => echo::run(&job.payload).await,
        // Retried: a deployment that knows the kind may be on its way.
        other => Outcome::Failed {
            error: Failure::retryable(
                "unknown_kind",
                format!("this processor does not know '{other}'"),
            ),
        },
    }
}
