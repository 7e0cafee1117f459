//! Bodies: whole ones in, whole or streamed ones out.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming, SizeHint};

use gristmill_dialect::refusal::Refusal;
use gristmill_pool::Collected;
use gristmill_pool::limits::{Full as Exhausted, Share, Visit};

/// An answer's body; its errors end the connection, which is all that can be done by then.
pub(crate) type Body = BoxBody<Bytes, io::Error>;

/// What is handed to the connection at once of a large answer.
const PIECE: usize = 64 * 1024;
/// Whoever reads a large answer has this long to begin, and reads at least so many bytes per second: the
/// answer holds memory until it is sent.
const SLOW_START: Duration = Duration::from_secs(30);
const SLOWEST: usize = 64 * 1024;

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

/// An answer that was collected. A large one keeps its memory and its place among the caller's requests
/// until it is sent.
pub(crate) fn collected(mut answer: Collected, visit: &Arc<Visit>) -> Body {
    if answer.length <= PIECE && answer.pieces.len() <= 1 {
        return whole(answer.pieces.pop_front().unwrap_or_default());
    }
    Pieces {
        left: answer.length,
        pieces: answer.pieces,
        sent: 0,
        started: Instant::now(),
        _share: answer.share,
        _visit: visit.clone(),
    }
    .boxed()
}

struct Pieces {
    pieces: VecDeque<Bytes>,
    left: usize,
    sent: usize,
    started: Instant,
    _share: Option<Share>,
    _visit: Arc<Visit>,
}

impl Pieces {
    fn is_too_slow(&self) -> bool {
        let allowed = Duration::from_secs((self.sent / SLOWEST) as u64);
        self.started.elapsed() > SLOW_START + allowed
    }
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.is_too_slow() {
            return Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())));
        }
        let Some(mut piece) = self.pieces.pop_front() else {
            return Poll::Ready(None);
        };
        if piece.len() > PIECE {
            let rest = piece.split_off(PIECE);
            self.pieces.push_front(rest);
        }
        self.sent += piece.len();
        self.left -= piece.len();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left as u64)
    }
}

/// A body, and its part of the budget for as long as it is held.
pub(crate) struct Received {
    pub(crate) bytes: Bytes,
    _held: Share,
}

/// Reads a request's body whole, within `patience`: a slow sender holds memory, though no connection to
/// Postgres.
pub(crate) async fn read(
    body: Incoming,
    most: usize,
    patience: Duration,
    share: Share,
) -> Result<Received, Refusal> {
    match tokio::time::timeout(patience, collect(body, most, share)).await {
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

async fn collect(mut body: Incoming, most: usize, mut held: Share) -> Result<Received, Refusal> {
    let mut collected = Vec::new();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let unreadable = |_| Refusal::Body("The request body could not be read".into());
        let Ok(data) = frame.map_err(unreadable)?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length <= most {
            held.grow(data.len()).map_err(|full| match full {
                Exhausted::Caller => Refusal::CallerMemory,
                Exhausted::Everybody => Refusal::Memory,
            })?;
            collected.push(data);
            continue;
        }
        // Read on and forget: a client that is still sending would otherwise see a broken
        // connection instead of the refusal.
        collected.clear();
        held.shrink(usize::MAX);
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

    #[tokio::test]
    async fn a_large_answer_is_sent_in_pieces_and_whole() {
        let callers = gristmill_pool::limits::Callers::new(1, 1);
        let visit = Arc::new(callers.enter(Some("a")).unwrap());
        let large = Bytes::from(vec![b'x'; 3 * PIECE + 1]);
        let answer = Collected {
            length: large.len() + 1,
            pieces: VecDeque::from([large, Bytes::from_static(b"]")]),
            share: None,
        };
        let mut body = collected(answer, &visit);
        drop(visit);
        let mut lengths = Vec::new();
        while let Some(frame) = body.frame().await {
            lengths.push(frame.unwrap().into_data().unwrap().len());
        }
        assert_eq!(lengths, [PIECE, PIECE, PIECE, 1, 1]);
    }

    #[test]
    fn pieces_are_joined_in_order() {
        let pieces = ["a", "b", "c"].map(|text| Bytes::from_static(text.as_bytes()));
        assert_eq!(joined(pieces.to_vec()), "abc");
        assert_eq!(joined(vec![]), "");
    }
}
