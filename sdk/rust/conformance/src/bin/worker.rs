//! The long-lived worker that tests/conformance plays its scenarios against.

#[cfg(not(target_arch = "wasm32"))]
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::time::Duration;

    use gristmill::Worker;

    let variable = |name| std::env::var(name).ok();
    let number = |name| variable(name).and_then(|text| text.parse::<u64>().ok());
    let mut worker = Worker::from_env()?
        .jobs(gristmill_conformance::conform())
        .queues(variable("CONFORM_QUEUE"))
        .takes_all_kinds()
        .without_registering();
    if let Some(most) = number("CONFORM_CONCURRENCY") {
        worker = worker.concurrency(usize::try_from(most)?);
    }
    if let Some(seconds) = number("CONFORM_DRAIN_SECONDS") {
        worker = worker.drain(Duration::from_secs(seconds));
    }
    Ok(worker.run().await?)
}

#[cfg(target_arch = "wasm32")]
fn main() {}
