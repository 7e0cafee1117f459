//! `fetch`, as a refresh uses it: redirects are not followed, and a call that nobody waits for is ended.

use futures_util::StreamExt;
use gristmill_refresh::{Reply, Request, Transport};
use worker::{AbortController, Headers, RequestInit, RequestRedirect};

pub(crate) struct Fetch;

// Dropped when the call was given up or its body is read: ends it, or does nothing any more.
struct EndsWithMe(AbortController);

impl Drop for EndsWithMe {
    fn drop(&mut self) {
        std::mem::take(&mut self.0).abort();
    }
}

impl Transport for Fetch {
    async fn get(&self, request: Request) -> Result<Reply, String> {
        send(request).await.map_err(|error| error.to_string())
    }
}

async fn send(request: Request) -> worker::Result<Reply> {
    let headers = Headers::new();
    headers.set("accept", "application/json")?;
    if let Some(key) = &request.key {
        headers.set("apikey", key)?;
    }
    let mut init = RequestInit::new();
    init.with_headers(headers)
        .with_redirect(RequestRedirect::Manual);
    let outgoing = worker::Request::new_with_init(request.url.as_str(), &init)?;

    let life = EndsWithMe(AbortController::default());
    let signal = life.0.signal();
    let mut response = worker::Fetch::Request(outgoing)
        .send_with_signal(&signal)
        .await?;
    let body = match response.stream() {
        Ok(stream) => stream
            .map(move |piece| {
                let _ = &life;
                piece.map_err(|error| error.to_string())
            })
            .boxed_local(),
        // A response without a body has no stream.
        Err(_) => futures_util::stream::empty().boxed_local(),
    };
    Ok(Reply {
        status: response.status_code(),
        headers: response.headers().entries().collect(),
        body,
    })
}
