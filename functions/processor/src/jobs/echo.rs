//! `echo`: answers with its payload, after `delay_ms` when that is given.

use std::time::Duration;

use gristmill::{Cx, Failure, Job, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Longer delays belong into `run_at`.
const LONGEST_DELAY_MS: u64 = 20_000;

/// Any payload, kept to the letter.
#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "echo")]
#[serde(transparent)]
pub(crate) struct Echo(Box<RawValue>);

#[derive(Serialize)]
pub(crate) struct Answer {
    echo: Box<RawValue>,
}

#[derive(Deserialize)]
struct Input {
    delay_ms: Option<u64>,
}

pub(crate) async fn run(Echo(payload): Echo, _: &Cx) -> Result<Answer, Failure> {
    if let Some(pause) = delay(&payload)? {
        time::sleep(pause).await;
    }
    Ok(Answer { echo: payload })
}

fn delay(payload: &RawValue) -> Result<Option<Duration>, Failure> {
    let input: Input = serde_json::from_str(payload.get()).map_err(|_| {
        Failure::permanent("payload", "delay_ms must be a whole number of milliseconds")
    })?;
    Ok(input
        .delay_ms
        .map(|ms| Duration::from_millis(ms.min(LONGEST_DELAY_MS))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay_of(json: &str) -> Result<Option<Duration>, Failure> {
        delay(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn a_delay_is_bounded_and_must_be_a_number() {
        assert_eq!(delay_of(r#"{"a":1}"#), Ok(None));
        assert_eq!(
            delay_of(r#"{"delay_ms":5}"#),
            Ok(Some(Duration::from_millis(5)))
        );
        assert_eq!(
            delay_of(r#"{"delay_ms":99999999}"#),
            Ok(Some(Duration::from_secs(20)))
        );
        assert!(delay_of(r#"{"delay_ms":"soon"}"#).is_err());
    }
}
