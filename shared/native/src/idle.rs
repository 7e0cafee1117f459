//! Bodies that stream must make progress: there is no bound on how long they take, but on how long they
//! are silent.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

/// When a request was last heard of.
pub struct Progress {
    origin: Instant,
    /// Milliseconds since the origin.
    last: AtomicU64,
    /// The client's next bytes are waited for: the silence is not the target's.
    sending: AtomicBool,
    stalled: AtomicBool,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            origin: Instant::now(),
            last: AtomicU64::new(0),
            sending: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
        }
    }
}

impl Progress {
    /// Whether the client's next bytes are waited for.
    pub fn waits_for_client(&self, waits: bool) {
        self.sending.store(waits, Relaxed);
        self.made();
    }

    fn made(&self) {
        let passed = u64::try_from(self.origin.elapsed().as_millis());
        self.last.store(passed.unwrap_or(u64::MAX), Relaxed);
    }

    /// The client has stopped sending in the middle of its body.
    pub fn stall(&self) {
        self.stalled.store(true, Relaxed);
    }

    /// Whether it has.
    pub fn has_stalled(&self) -> bool {
        self.stalled.load(Relaxed)
    }

    /// Resolves once the target has been silent for so long.
    pub async fn silent(&self, patience: Duration) {
        loop {
            let mut until = self.origin + Duration::from_millis(self.last.load(Relaxed)) + patience;
            if self.sending.load(Relaxed) {
                until = Instant::now() + patience;
            }
            if Instant::now() >= until {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}

/// An answer's body that ends in an error when nothing of it comes for too long.
pub struct Idle {
    body: Incoming,
    patience: Duration,
    until: Pin<Box<Sleep>>,
    waiting: bool,
}

impl Idle {
    /// The body `body`, which may be silent for `patience`.
    pub fn new(body: Incoming, patience: Duration) -> Self {
        Self {
            body,
            patience,
            until: Box::pin(tokio::time::sleep(patience)),
            waiting: false,
        }
    }
}

impl Body for Idle {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.waiting = false;
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        if !self.waiting {
            self.waiting = true;
            let until = Instant::now() + self.patience;
            self.until.as_mut().reset(until);
        }
        std::task::ready!(self.until.as_mut().poll(context));
        Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn silence_is_the_targets_only_after_the_client_has_sent_all() {
        let progress = Progress::default();
        let started = Instant::now();
        progress.waits_for_client(true);
        let makes_progress = async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            progress.waits_for_client(false);
        };
        let patience = Duration::from_millis(100);
        tokio::join!(progress.silent(patience), makes_progress);
        assert!(started.elapsed() >= Duration::from_millis(160));
    }
}
