//! `fetch` of the edge runtime. A call that nobody waits for any more is ended.

use worker::{AbortController, Fetch, Headers, Method, Request, RequestInit};

use super::transport::{Answer, Unsent};

#[derive(Clone)]
pub(crate) struct Transport;

// Dropped when the call was given up or its body was read: ends it, or does nothing any more.
struct EndsWithMe(AbortController);

impl Drop for EndsWithMe {
    fn drop(&mut self) {
        std::mem::take(&mut self.0).abort();
    }
}

impl Transport {
    pub(crate) fn new(_url: &str) -> Self {
        Self
    }

    pub(crate) async fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Result<Answer, Unsent> {
        let unusable = |error: worker::Error| Unsent::Unusable(error.to_string());
        let lost = |error: worker::Error| Unsent::Lost(error.to_string());
        let all = Headers::new();
        for (name, value) in headers {
            all.set(name, value).map_err(unusable)?;
        }
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_headers(all)
            .with_body(Some(body.into()));
        let request = Request::new_with_init(url, &init).map_err(unusable)?;
        let life = EndsWithMe(AbortController::default());
        let signal = life.0.signal();
        let mut response = Fetch::Request(request)
            .send_with_signal(&signal)
            .await
            .map_err(lost)?;
        let header = |name: &str| response.headers().get(name).ok().flatten();
        let (date, retry_after) = (header("date"), header("retry-after"));
        Ok(Answer {
            status: response.status_code(),
            date,
            retry_after,
            body: response.bytes().await.map_err(lost)?,
        })
    }
}
