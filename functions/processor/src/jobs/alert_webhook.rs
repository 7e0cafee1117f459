//! `alert_webhook`: tells an endpoint that an alert fires or is resolved, signed as Standard Webhooks are.
//!
//! Whatever the receiver does not take with 2xx is retried by the engine, under the same webhook-id. Redirects are not
//! followed: a signature is for the address that an operator has set.

use std::time::Duration;

use chrono::Utc;
use gristmill_core::job::{Failure, Outcome};
use gristmill_core::within;
use gristmill_edge::Config;
use serde::Deserialize;
use serde_json::value::RawValue;
use worker::{Fetch, Headers, Method, Request, RequestInit, RequestRedirect};

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Input {
    url: String,
    webhook_id: String,
    event: Box<RawValue>,
}

pub(crate) async fn run(payload: &RawValue, config: &Config) -> Outcome {
    let input: Input = match serde_json::from_str(payload.get()) {
        Ok(input) => input,
        Err(_) => return dead("payload", "the payload is not that of an alert"),
    };
    match within(PATIENCE, send(&input, config)).await {
        Ok(Ok(status)) => judge(status),
        Ok(Err(error)) => Outcome::Failed { error },
        Err(_) => failed("timeout", "the receiver did not answer in 10 s", None),
    }
}

async fn send(input: &Input, config: &Config) -> Result<u16, Failure> {
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

fn judge(status: u16) -> Outcome {
    match status {
        200..300 => match RawValue::from_string(format!(r#"{{"status":{status}}}"#)) {
            Ok(result) => Outcome::Completed { result },
            Err(_) => dead("result", "the result could not be written"),
        },
        410 => dead("gone", "the receiver wants no more of these"),
        _ => failed("refused", "the receiver did not take it", Some(status)),
    }
}

fn failed(r#type: &'static str, message: &str, http_status: Option<u16>) -> Outcome {
    let mut error = Failure::retryable(r#type, message);
    error.http_status = http_status;
    Outcome::Failed { error }
}

fn dead(r#type: &'static str, message: &str) -> Outcome {
    Outcome::Dead {
        error: Failure::permanent(r#type, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_is_taken_and_only_gone_is_final() {
        assert!(matches!(judge(204), Outcome::Completed { .. }));
        assert!(matches!(judge(410), Outcome::Dead { .. }));
        for status in [301, 400, 404, 429, 500] {
            assert!(matches!(judge(status), Outcome::Failed { .. }), "{status}");
        }
    }
}
