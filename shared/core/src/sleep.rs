//! Deadlines that work in both worlds: `worker::Delay` at the edge, tokio's timer natively.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

/// The work did not end in time and was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("timed out")]
pub struct TimedOut;

/// Runs `work` for at most `limit`. Dropping a postgrest call aborts its fetch.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, TimedOut> {
    match select(pin!(work), pin!(sleep(limit))).await {
        Either::Left((done, _)) => Ok(done),
        Either::Right(_) => Err(TimedOut),
    }
}

/// Waits.
#[cfg(target_arch = "wasm32")]
pub async fn sleep(duration: Duration) {
    worker::Delay::from(duration).await;
}

/// Waits.
#[cfg(not(target_arch = "wasm32"))]
pub async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}
