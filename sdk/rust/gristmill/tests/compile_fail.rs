//! Mistakes with jobs that do not compile: a wrong payload, an unknown kind, a missing handler.

use gristmill::{Client, Cx, Failure, Job, JobSet, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "thumbnail", queue = "pictures", unique(by = ["object"], within = "1h"))]
struct Thumbnail {
    object: String,
}

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "tidy")]
struct Tidy {
    days: u32,
}

#[derive(JobSet)]
#[allow(dead_code)]
enum Pictures {
    Thumbnail(Thumbnail),
    Tidy(Tidy),
}

async fn thumbnail(job: Thumbnail, _: &Cx) -> Result<usize, Failure> {
    Ok(job.object.len())
}

async fn tidy(job: Tidy, _: &Cx) -> Result<u32, Failure> {
    Ok(job.days)
}

/// The right way does compile: the programs fail for what they do, not for a name that has changed.
#[test]
fn a_set_with_a_handler_for_each_job_compiles_whatever_their_order() {
    let jobs = jobs![for Pictures: tidy, thumbnail];
    assert_eq!(jobs.kinds(), Pictures::KINDS);
    let client = Client::new("http://127.0.0.1:9", "key");
    let job = Thumbnail { object: "o".into() };
    let _ = client.enqueue(&job);
    assert_eq!(Pictures::Thumbnail(job).kind(), "thumbnail");
}

#[test]
fn a_wrong_payload_an_unknown_kind_and_a_missing_handler_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
