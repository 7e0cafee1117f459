//! What a worker says of an attempt that failed.

use std::fmt;

use crate::job::ClaimedJob;
use crate::outcome::Failure;

/// An attempt that failed: what [`Worker::on_failure`](crate::Worker::on_failure) is told. As a text it is one line.
#[derive(Debug, Clone, Copy)]
pub struct Failed<'a> {
    /// The job.
    pub job: &'a ClaimedJob,
    /// What went wrong.
    pub error: &'a Failure,
    /// Whether the job is a dead letter now: no further attempt is made.
    pub is_dead: bool,
}

impl fmt::Display for Failed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, error, .. } = self;
        let end = match self.is_dead {
            true => ", now a dead letter",
            false => "",
        };
        // One line, whatever the error is.
        let message = error.message.replace(['\r', '\n'], " ");
        write!(
            f,
            "{} {}, attempt {} of {} failed{end}: {}: {message}",
            job.kind, job.id, job.attempt, job.max_attempts, error.r#type,
        )
    }
}

impl Failed<'_> {
    /// The default: a warning of `tracing`, and a line on stderr where the program listens to no `tracing`.
    #[allow(
        clippy::print_stderr,
        reason = "a worker without a subscriber would say nothing at all"
    )]
    pub(super) fn print(&self) {
        tracing::warn!("{self}");
        if !tracing::dispatcher::has_been_set() {
            eprintln!("{self}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_is_told_in_one_line_that_says_whether_the_job_is_dead() {
        let job = serde_json::json!({ "id": "0190a0a0-0000-7000-8000-000000000001", "kind": "mail", "payload": {}, "attempt": 2, "max_attempts": 5,
            "lease_until": "2030-01-01T00:00:00Z" });
        let job: ClaimedJob = serde_json::from_str(&job.to_string()).unwrap();
        let error = Failure::retryable("timeout", "no\nanswer");
        let mut failed = Failed {
            job: &job,
            error: &error,
            is_dead: false,
        };
        assert_eq!(
            failed.to_string(),
            "mail 0190a0a0-0000-7000-8000-000000000001, attempt 2 of 5 failed: timeout: no answer"
        );
        failed.is_dead = true;
        assert!(
            failed
                .to_string()
                .contains("attempt 2 of 5 failed, now a dead letter: timeout")
        );
    }
}
