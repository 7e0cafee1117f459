#![doc = include_str!("../README.md")]

// The derive macros name this crate by its own name, here too.
extern crate self as gristmill;

mod cancellation;
mod client;
mod cx;
#[cfg(feature = "edge")]
pub mod edge;
mod handler;
pub mod invocation;
mod job;
mod outcome;
pub mod signature;
mod steps;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;

pub mod trace;
#[cfg(all(feature = "worker", not(target_arch = "wasm32")))]
pub mod worker;

use std::future::Future;
use std::pin::Pin;

pub use gristmill_definitions::{
    CatchUp, Definition, Job, JobSet, Kind, KindOptions, Overlap, Queue, Registered, Schedule,
    Unique, task, workflow,
};

pub use cancellation::{Cancellation, Cancelled};
pub use client::{
    CallError, Claim, Client, Enqueue, EnqueueStatus, Enqueued, KeptLine, LeaseAnswer, LeaseStatus,
    LeaseToExtend, NotSet, SettledAndClaimed,
};
pub use cx::{Cx, Log, State, Watch};
pub use handler::{Handler, HandlerOf, Jobs, Lane, Typed};
#[doc(hidden)]
pub use handler::{More, Nothing, handler, more};
pub use invocation::{Batch, Invocation, Report};
pub use job::{ClaimedJob, Holder, InvocationId, JobId};
pub use outcome::{
    Ending, Failure, IntoOutcome, Level, LogLine, Outcome, SettleStatus, Settled, Settlement,
    Usage, dead, released, snooze,
};
pub use steps::EventStatus;
#[cfg(all(feature = "worker", not(target_arch = "wasm32")))]
pub use worker::Worker;

/// A running attempt, or another future that a handler or the library has boxed. Natively it may move between threads.
#[cfg(not(target_arch = "wasm32"))]
pub type Running<'a, T = Outcome> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A running attempt, or another future that a handler or the library has boxed. Natively it may move between threads.
#[cfg(target_arch = "wasm32")]
pub type Running<'a, T = Outcome> = Pin<Box<dyn Future<Output = T> + 'a>>;

#[cfg(test)]
pub(crate) fn testing_cx() -> Cx {
    let job = serde_json::json!({ "id": "0190a0a0-0000-7000-8000-000000000001", "queue": "q", "kind": "thumbnail",
        "payload": {"object": "o", "width": 1}, "attempt": 1, "max_attempts": 5, "lease_until": "2030-01-01T00:00:00Z" });
    let job: ClaimedJob = serde_json::from_str(&job.to_string()).unwrap();
    let client = Client::new("http://127.0.0.1:1", "key");
    Cx::new(&job, "w", &client, &Default::default(), cx::Live::new(None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    #[derive(Debug, Default, Job, Serialize, Deserialize, JsonSchema)]
    #[job(kind = "thumbnail", queue = "pictures", max_attempts = 8, unique(by = ["object"], within = "1h"))]
    pub(crate) struct Thumbnail {
        object: String,
        width: u16,
    }

    pub(crate) async fn thumbnail(job: Thumbnail, cx: &Cx) -> Result<String, Failure> {
        cx.log().info("made");
        if job.width == 0 {
            return Err(dead("a picture has a width"));
        }
        Ok(format!("{}@{}", job.object, job.width))
    }

    #[test]
    fn a_definition_has_the_options_and_the_schema_of_each_kind() {
        let definition = serde_json::to_value(jobs![thumbnail].definition()).unwrap();
        let kind = &definition["kinds"][0];
        assert_eq!(kind["kind"], "thumbnail");
        assert_eq!(kind["queue"], "pictures");
        assert_eq!(kind["max_attempts"], 8);
        assert_eq!(
            kind["unique"],
            json!({"by": ["object"], "within_seconds": 3600})
        );
        assert_eq!(kind["schema"]["required"], json!(["object", "width"]));
        assert_eq!(kind["schema"]["properties"]["width"]["maximum"], 65535);
        assert!(
            kind.get("open_to_users").is_none(),
            "what is left out keeps its value"
        );
    }
}
