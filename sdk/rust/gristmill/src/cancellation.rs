//! A signal that fires once. It needs no runtime, so that a handler sees the same type everywhere.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Tells a running job to stop: its lease was lost, the job was cancelled, or the worker ends.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    has_fired: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl Cancellation {
    /// A signal that has not fired.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fires it.
    pub fn cancel(&self) {
        let mut waiting = self.waiting();
        self.0.has_fired.store(true, Ordering::Release);
        let woken = std::mem::take(&mut *waiting);
        drop(waiting);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Whether it has fired.
    pub fn is_cancelled(&self) -> bool {
        self.0.has_fired.load(Ordering::Acquire)
    }

    /// Resolves when it fires, or at once if it has.
    pub fn cancelled(&self) -> Cancelled<'_> {
        Cancelled(self)
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resolves when a [`Cancellation`] fires.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Cancelled<'a>(&'a Cancellation);

impl Future for Cancelled<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.0.waiting();
        // Under the lock: whoever fires it takes the wakers under the same.
        if self.0.is_cancelled() {
            return Poll::Ready(());
        }
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_who_waits_is_woken_and_later_ones_do_not_wait() {
        let signal = Cancellation::new();
        let mut context = Context::from_waker(Waker::noop());
        let mut first = Box::pin(signal.cancelled());
        assert!(first.as_mut().poll(&mut context).is_pending());
        signal.cancel();
        assert!(first.as_mut().poll(&mut context).is_ready());
        assert!(
            Box::pin(signal.cancelled())
                .as_mut()
                .poll(&mut context)
                .is_ready()
        );
        assert!(signal.is_cancelled());
    }
}
