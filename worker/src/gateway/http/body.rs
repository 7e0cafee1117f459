//! Bodies: whole ones in, whole or streamed ones out.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::gateway::refusal::Refusal;

/// An answer's body; its errors end the connection, which is all that can be done by then.
pub(crate) type Body = BoxBody<Bytes, hyper::Error>;

/// Longest a body may take to arrive: a slow sender holds memory, though no connection to Postgres.
const ARRIVAL: Duration = Duration::from_secs(30);

/// All bodies together, in bytes.
const BUDGET: usize = 256 * 1024 * 1024;

/// How many times the largest body is read and forgotten before the connection is cut.
const DISCARDED: usize = 8;

/// A body worth reading just to keep its connection.
const SMALL: usize = 64 * 1024;

pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed()
}

pub(crate) fn empty() -> Body {
    whole(Bytes::new())
}

/// What all bodies together may hold in memory: a thousand large ones at once must not exhaust it.
pub(crate) struct Budget(Arc<Semaphore>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET)))
    }
}

/// A body, and its part of the budget for as long as it is held.
pub(crate) struct Received {
    pub(crate) bytes: Bytes,
    _held: Option<OwnedSemaphorePermit>,
}

/// Reads a request's body whole.
pub(crate) async fn read(
    body: Incoming,
    most: usize,
    budget: &Budget,
) -> Result<Received, Refusal> {
    match tokio::time::timeout(ARRIVAL, collect(body, most, budget)).await {
        Ok(result) => result,
        Err(_) => Err(Refusal::BodyTimeout),
    }
}

/// Reads a small body that nobody wants, so that its connection can serve on. What is large or slow
/// is left unread, and the connection closes behind the answer.
pub(crate) async fn discard(mut body: Incoming) {
    let reading = async {
        let mut length = 0;
        while let Some(Ok(frame)) = body.frame().await {
            length += frame.data_ref().map_or(0, Bytes::len);
            if length > SMALL {
                return;
            }
        }
    };
    // Time up is as good as done.
    let _ = tokio::time::timeout(Duration::from_secs(1), reading).await;
}

async fn collect(mut body: Incoming, most: usize, budget: &Budget) -> Result<Received, Refusal> {
    let mut collected = Vec::new();
    let mut held: Option<OwnedSemaphorePermit> = None;
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let unreadable = |_| Refusal::Body("The request body could not be read".into());
        let Ok(data) = frame.map_err(unreadable)?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length <= most {
            let size = u32::try_from(data.len()).unwrap_or(u32::MAX);
            let part = budget.0.clone().try_acquire_many_owned(size);
            let part = part.map_err(|_| Refusal::QueueFull)?;
            match &mut held {
                Some(held) => held.merge(part),
                None => held = Some(part),
            }
            collected.push(data);
            continue;
        }
        // Read on and forget: a client that is still sending would otherwise see a broken
        // connection instead of the refusal.
        collected.clear();
        held = None;
        if length > most.saturating_mul(DISCARDED) {
            break;
        }
    }
    if length > most {
        return Err(Refusal::BodyTooLarge(most));
    }
    Ok(Received {
        bytes: joined(collected),
        _held: held,
    })
}

/// Most bodies come in one piece, which is then not copied.
fn joined(mut pieces: Vec<Bytes>) -> Bytes {
    match pieces.len() {
        0 => Bytes::new(),
        1 => pieces.swap_remove(0),
        _ => pieces.concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_in_order() {
        let pieces = ["a", "b", "c"].map(|text| Bytes::from_static(text.as_bytes()));
        assert_eq!(joined(pieces.to_vec()), "abc");
        assert_eq!(joined(vec![]), "");
    }
}
