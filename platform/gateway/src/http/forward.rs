//! A request's body on its way to another server, read to its end even if that server does not want it.
//!
//! A target may answer before it has read everything, as one does that refuses a large upload. Were the
//! rest left unread, closing our side would reset the connection and the caller would never see the answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::channel::{Channel, Sender};
use hyper::body::{Body as _, Incoming};

use super::body::{Body, empty};
use gristmill_native::idle::Progress;

/// What is read and thrown away after the target has stopped listening, at the most.
const LINGER_BYTES: usize = 64 * 1024 * 1024;
const LINGER_TIME: Duration = Duration::from_secs(10);

/// The same body, decoupled from how much of it the target reads. A client that sends nothing of it for
/// `patience` is given up.
pub(super) fn forwarded(body: Incoming, progress: Arc<Progress>, patience: Duration) -> Body {
    if body.is_end_stream() {
        return empty();
    }
    let (sender, receiver) = Channel::new(1);
    tokio::spawn(pump(body, sender, progress, patience));
    receiver.boxed()
}

async fn pump(
    mut body: Incoming,
    mut sender: Sender<Bytes, io::Error>,
    progress: Arc<Progress>,
    patience: Duration,
) {
    loop {
        progress.waits_for_client(true);
        let Ok(frame) = tokio::time::timeout(patience, body.frame()).await else {
            progress.stall();
            sender.abort(io::ErrorKind::TimedOut.into());
            return;
        };
        progress.waits_for_client(false);
        let Some(frame) = frame else {
            return;
        };
        match frame {
            Ok(frame) => {
                if sender.send(frame).await.is_err() {
                    // Past either bound the connection is closed, and with it whatever is still coming.
                    let _ = tokio::time::timeout(LINGER_TIME, drain(body)).await;
                    return;
                }
            }
            Err(error) => {
                sender.abort(io::Error::other(error));
                return;
            }
        }
    }
}

async fn drain(mut body: Incoming) {
    let mut left = LINGER_BYTES;
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
