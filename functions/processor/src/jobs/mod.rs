//! Which code does which kind of job. Adding a kind: a module, a line here, a row in `mill.kind`.

mod echo;

use gristmill_shared::job::{ClaimedJob, Failure, Outcome};

pub(crate) async fn run(job: &ClaimedJob) -> Outcome {
    match job.kind.as_str() {
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
