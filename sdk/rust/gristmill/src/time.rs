//! Pauses and deadlines that work in both worlds: timers of the edge runtime, tokio's natively.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

/// The work did not end in time and was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("timed out")]
pub struct TimedOut;

/// Runs `work` for at most `limit`. A call of a [`Client`](crate::Client) that is dropped is ended.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, TimedOut> {
    match select(pin!(work), pin!(sleep(limit))).await {
        Either::Left((done, _)) => Ok(done),
        Either::Right(_) => Err(TimedOut),
    }
}

/// Waits.
#[cfg(all(feature = "client", not(target_arch = "wasm32")))]
pub async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Waits.
#[cfg(all(feature = "edge", target_arch = "wasm32"))]
pub async fn sleep(duration: Duration) {
    worker::Delay::from(duration).await;
}

/// Without a runtime there is no timer: nothing calls it, because nothing can be called.
#[cfg(not(any(
    all(feature = "client", not(target_arch = "wasm32")),
    all(feature = "edge", target_arch = "wasm32")
)))]
pub async fn sleep(_: Duration) {
    std::future::pending().await
}

/// Pauses between tries: each twice as long as the one before, shortened by up to a half at random.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    /// As docs/protocol.md has it for calls of Postgres.
    pub(crate) fn of_calls() -> Self {
        Self {
            next: Duration::from_millis(100),
            longest: Duration::from_secs(30),
        }
    }

    /// How long to wait now; at least as long as whoever was called has asked for.
    pub(crate) fn pause(&mut self, asked: Option<Duration>) -> Duration {
        let whole = self.next;
        self.next = (whole * 2).min(self.longest);
        let shortened = whole.mul_f64(1.0 - 0.5 * random());
        asked.map_or(shortened, |asked| asked.max(shortened))
    }
}

/// A number from 0 to 1. The end of such an id is random; its beginning is the time.
fn random() -> f64 {
    let low = uuid::Uuid::now_v7().as_u128() as u32;
    f64::from(low) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_half_a_minute_and_is_shortened_by_a_half_at_most() {
        let mut backoff = Backoff::of_calls();
        let mut whole = Duration::from_millis(100);
        for _ in 0..12 {
            let pause = backoff.pause(None);
            assert!(
                pause <= whole && pause >= whole / 2,
                "{pause:?} of {whole:?}"
            );
            whole = (whole * 2).min(Duration::from_secs(30));
        }
    }

    #[test]
    fn a_call_is_not_repeated_before_the_time_that_was_asked_for() {
        let asked = Duration::from_secs(9);
        assert_eq!(Backoff::of_calls().pause(Some(asked)), asked);
    }
}
