//! A connection to a client that must keep reading: one that takes nothing for too long is cut off, because
//! what is meant for it is held in memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream whose writes do not wait for ever.
pub struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    until: Pin<Box<Sleep>>,
    waiting: bool,
}

impl<S> Patient<S> {
    /// A stream whose other side may take nothing for so long.
    pub fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            until: Box::pin(tokio::time::sleep(patience)),
            waiting: false,
        }
    }

    /// Passes on what a write came to, unless it has waited for too long.
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.waiting = false;
            return result;
        }
        if !self.waiting {
            self.waiting = true;
            self.until.as_mut().reset(Instant::now() + self.patience);
        }
        match self.until.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn a_reader_that_takes_nothing_is_cut_off_and_a_slow_one_is_not() {
        let (near, far) = tokio::io::duplex(4);
        let mut stream = Patient::new(near, Duration::from_millis(50));
        let error = stream.write_all(b"more than fits").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(far);

        let (near, mut far) = tokio::io::duplex(4);
        let mut stream = Patient::new(near, Duration::from_secs(20));
        let reading = async {
            let mut read = [0; 14];
            for byte in &mut read {
                tokio::task::yield_now().await;
                *byte = far.read_u8().await.unwrap();
            }
            read
        };
        let (written, read) = tokio::join!(stream.write_all(b"more than fits"), reading);
        written.unwrap();
        assert_eq!(&read, b"more than fits");
    }
}
