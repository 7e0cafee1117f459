//! Bodies: whole ones in, whole or streamed ones out.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;

use crate::gateway::refusal::Refusal;

/// An answer's body; its errors end the connection, which is all that can be done by then.
pub(crate) type Body = BoxBody<Bytes, hyper::Error>;

/// Longest a body may take to arrive: a slow sender holds memory, though no connection to Postgres.
const ARRIVAL: Duration = Duration::from_secs(30);

pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed()
}

pub(crate) fn empty() -> Body {
    whole(Bytes::new())
}

/// Reads a request's body, refusing it by its announced length before reading any of it.
pub(crate) async fn read(body: Incoming, most: usize) -> Result<Bytes, Refusal> {
    use hyper::body::Body as _;
    if body.size_hint().lower() > most as u64 {
        return Err(Refusal::BodyTooLarge(most));
    }
    let collected = tokio::time::timeout(ARRIVAL, Limited::new(body, most).collect());
    match collected.await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::BodyTooLarge(most)),
        Ok(Err(_)) => Err(Refusal::Body("The request body could not be read".into())),
        Err(_) => Err(Refusal::BodyTimeout),
    }
}
