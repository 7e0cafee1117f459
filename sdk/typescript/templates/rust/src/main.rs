use gristmill::{Client, Cx, Failure, Job, Worker, dead, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The payload. Postgres refuses a payload that does not fit this type.
#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "greet", queue = "greetings")]
struct Greet {
    name: String,
}

/// What this returns is the job's result. An error means another attempt, later; `dead` means none.
async fn greet(job: Greet, cx: &Cx) -> Result<String, Failure> {
    if job.name.is_empty() {
        return Err(dead("a greeting needs a name"));
    }
    cx.log().info("greeting");
    println!("Hello, {}!", job.name);
    Ok(format!("Hello, {}!", job.name))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // With a name it enqueues a job; without one it is the worker.
    if let Some(name) = std::env::args().nth(1) {
        let enqueued = Client::from_env()?.enqueue(&Greet { name }).await?;
        println!("enqueued: {:?}", enqueued.status);
        return Ok(());
    }
    println!("working, until Ctrl-C");
    Worker::from_env()?.jobs(jobs![greet]).run().await?;
    Ok(())
}
