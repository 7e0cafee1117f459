//! `alert_webhook`: tells an endpoint that an alert fires or is resolved, signed as Standard Webhooks are.
//!
//! Whatever the receiver does not take with 2xx is retried by the engine, under the same webhook-id. Redirects are not
//! followed: a signature is for the address that an operator has set.

use std::time::Duration;

use chrono::Utc;
use gristmill::time::within;
use gristmill::{Cx, Failure, Job};
use gristmill_edge::Config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use worker::send::SendFuture;
use worker::{Env, Fetch, Headers, Method, Request, RequestInit, RequestRedirect};

const PATIENCE: Duration = Duration::from_secs(10);

/// What is to be told, and to whom.
#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "alert_webhook")]
pub(crate) struct Alert {
    url: String,
    webhook_id: String,
    event: Box<RawValue>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Told {
    status: u16,
}

pub(crate) async fn run(input: Alert, cx: &Cx) -> Result<Told, Failure> {
    let config: Config = cx.state::<Env>()?.clone().into();
    // Nothing of the edge runtime is Send, and nothing there needs it: there is one thread.
    let sent = SendFuture::new(async move { within(PATIENCE, send(&input, &config)).await });
    match sent.await {
        Ok(status) => judge(status?),
        Err(_) => Err(Failure::retryable(
            "timeout",
            "the receiver did not answer in 10 s",
        )),
    }
}

async fn send(input: &Alert, config: &Config) -> Result<u16, Failure> {
    let at = Utc::now().timestamp().to_string();
    let body = input.event.get();
    let signature = config
        .key("ALERT_WEBHOOK_SECRET")
        .map_err(|problem| Failure::retryable("misconfigured", problem.cause.unwrap_or_default()))?
        .sign(&input.webhook_id, &at, body.as_bytes())
        .map_err(|error| Failure::retryable("misconfigured", error.to_string()))?;
    let unsent =
        |_: worker::Error| Failure::retryable("unreachable", "the receiver could not be reached");

    let headers = Headers::new();
    for (name, value) in [
        ("content-type", "application/json"),
        ("webhook-id", &input.webhook_id),
        ("webhook-timestamp", &at),
        ("webhook-signature", &signature),
    ] {
        headers.set(name, value).map_err(unsent)?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(body.into()));
    let request = Request::new_with_init(&input.url, &init).map_err(unsent)?;
    let response = Fetch::Request(request).send().await.map_err(unsent)?;
    Ok(response.status_code())
}

fn judge(status: u16) -> Result<Told, Failure> {
    match status {
        200..300 => Ok(Told { status }),
        410 => Err(Failure::permanent(
            "gone",
            "the receiver wants no more of these",
        )),
        _ => Err(Failure::retryable("refused", "the receiver did not take it").http_status(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_is_taken_and_only_gone_is_final() {
        assert_eq!(judge(204).map(|told| told.status), Ok(204));
        assert!(judge(410).is_err_and(|failure| !failure.retryable));
        for status in [301, 400, 404, 429, 500] {
            let refused = judge(status).unwrap_err();
            assert!(refused.retryable && refused.http_status == Some(status));
        }
    }
}
