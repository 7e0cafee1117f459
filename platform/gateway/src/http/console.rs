//! The console's page, and the exchange of its key for a token.

use gristmill_console::Hosted;
use http_body_util::{BodyExt, Limited};
use hyper::Request;
use hyper::body::Incoming;

use super::{Answer, body};

pub(super) async fn answer(console: &Hosted, rest: &str, request: Request<Incoming>) -> Answer {
    let (parts, incoming) = request.into_parts();
    // A body that is too large is no key, and is refused as one.
    let read = Limited::new(incoming, Hosted::LARGEST_BODY).collect().await;
    let read = read.map(|body| body.to_bytes()).unwrap_or_default();
    let answer = console.answer(&parts.method, rest, &parts.headers, &read);
    answer.map(body::whole)
}
