//! Models behind HTTP. What they answer is parsed strictly: a wrong shape is asked for once more, and twice wrong is
//! the end. Neither prompts nor answers are logged.

mod anthropic;
mod capacity;
mod openai;
mod settings;
pub(super) mod vision;

use gristmill_shared::job::Failure;
use reqwest::{Client, RequestBuilder};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use settings::BadSettings;
pub(in crate::work) use settings::Settings;

use super::Trouble;
use super::model::{Entity, Fact};
use crate::work::Context;
use capacity::Capacity;

pub(super) const ENTITIES: &str = "From the blocks of a medical document, given as JSON with page and box, list what it speaks of. Answer with one JSON object {\"entities\": [{\"kind\": \"person|provider|date|condition|medication|lab\", \"text\": string, \"detail\": object, \"page\": number|null, \"box\": [left, top, right, bottom]|null, \"confidence\": number|null}]} and nothing else. Mark what is denied with detail.negated.";
pub(super) const FACTS: &str = "From the entities of a medical document, given as JSON, list what is so. Answer with one JSON object {\"facts\": [{\"kind\": \"patient|provider|date|condition|medication|lab\", \"name\": string, \"value\": object, \"code_system\": string|null, \"code\": string|null, \"page\": number|null, \"box\": [left, top, right, bottom]|null, \"confidence\": number|null}]} and nothing else. Give a code only where it is certain.";
pub(super) const NARRATIVE: &str = "From the numbered facts of a medical document, given as JSON, write a short narrative and a timeline. Answer with one JSON object {\"sentences\": [{\"text\": string, \"facts\": [number]}], \"timeline\": [{\"date\": \"YYYY-MM-DD\", \"text\": string, \"facts\": [number]}]} and nothing else. Every sentence cites the numbers of its facts.";

/// An answer that is larger is no answer.
const MAX_ANSWER: usize = 4 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entities {
    entities: Vec<Entity>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Facts {
    facts: Vec<Fact>,
}

/// A model, and who serves it.
pub(super) struct Model {
    dialect: Dialect,
    endpoint: Endpoint,
    name: String,
    pub(in crate::work) capacity: Capacity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    OpenAi,
    Anthropic,
}

impl Dialect {
    /// As its limit is named.
    const fn provider(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

struct Endpoint {
    client: Client,
    url: String,
    key: String,
}

/// What asking took.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) calls: u32,
    pub(super) tokens: u64,
    /// Postgres keeps it only where documents.keep_raw_answers is on.
    pub(super) answer: Option<String>,
}

/// Asks, and reads the answer as `T` and nothing else.
pub(super) async fn ask<T: DeserializeOwned>(
    model: &Model,
    context: &Context,
    task: &str,
    input: &serde_json::Value,
) -> Result<(T, Asked), Trouble> {
    let mut asked = Asked::default();
    for round in 0..2 {
        let reserved = match model
            .capacity
            .reserve(context, context.estimated_tokens)
            .await
        {
            // Put off here, a model that is always wrong would be asked for ever: the attempt is used up instead.
            Err(Trouble::Later(..)) if round > 0 => {
                return Err(Trouble::Failed(Failure::retryable(
                    "unsupported",
                    "the model answered in another shape than agreed",
                )));
            }
            reserved => reserved?,
        };
        let (endpoint, name) = (&model.endpoint, &model.name);
        let answered = match model.dialect {
            Dialect::OpenAi => openai::complete(endpoint, name, task, input).await,
            Dialect::Anthropic => anthropic::complete(endpoint, name, task, input).await,
        };
        let (text, tokens) = reserved.settle(context, answered).await?;
        asked.calls += 1;
        asked.tokens += tokens;
        if let Some(answer) = text
            .as_deref()
            .and_then(|text| serde_json::from_str(unfenced(text)).ok())
        {
            asked.answer = text;
            return Ok((answer, asked));
        }
    }
    Err(Trouble::Failed(Failure::permanent(
        "unsupported",
        "the model answered twice in another shape than agreed",
    )))
}

// Models like to put JSON into a fence, whatever they are told.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"));
    inner
        .and_then(|inner| inner.strip_suffix("```"))
        .unwrap_or(text)
        .trim()
}

/// Sends and reads JSON; every other answer is sorted into later, again and never.
async fn exchange<T: DeserializeOwned>(request: RequestBuilder) -> Result<Option<T>, Trouble> {
    let unreachable = |error: reqwest::Error| {
        let kind = if error.is_timeout() {
            "ai_timeout"
        } else {
            "network_error"
        };
        Trouble::Failed(Failure::retryable(kind, error.without_url().to_string()))
    };
    let mut response = request.send().await.map_err(unreachable)?;
    let status = response.status().as_u16();
    if !(200..300).contains(&status) {
        let header = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok());
        return Err(refused(status, header));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            return Ok(None);
        }
    }
    Ok(serde_json::from_slice(&body).ok())
}

fn refused(status: u16, retry_after: Option<&str>) -> Trouble {
    let failure = |kind, message: &str, retryable| Failure {
        r#type: kind,
        message: message.to_owned(),
        retryable,
        http_status: Some(status),
        provider: None,
    };
    match status {
        429 | 529 | 503 => Trouble::Later(
            delay(retry_after),
            failure("rate_limited", "the provider asks to come back later", true),
        ),
        500..=599 | 408 => Trouble::Failed(failure("network_error", "the provider failed", true)),
        _ => Trouble::Failed(failure(
            "unsupported",
            "the provider refused the request",
            false,
        )),
    }
}

/// Seconds, or a date; an hour at the most, whatever it says.
fn delay(retry_after: Option<&str>) -> f64 {
    let seconds = retry_after.and_then(|text| {
        let text = text.trim();
        text.parse::<f64>().ok().or_else(|| {
            let at = chrono::DateTime::parse_from_rfc2822(text).ok()?;
            Some((at.to_utc() - chrono::Utc::now()).num_seconds() as f64)
        })
    });
    seconds
        .filter(|seconds| seconds.is_finite())
        .unwrap_or(30.0)
        .clamp(1.0, 3600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_says_when_to_come_back_in_many_ways() {
        assert_eq!(delay(Some("7")), 7.0);
        assert_eq!(delay(Some("0.5")), 1.0);
        assert_eq!(delay(Some("-3")), 1.0);
        assert_eq!(delay(Some("99999999")), 3600.0);
        assert_eq!(delay(Some("soon")), 30.0);
        assert_eq!(delay(None), 30.0);
        assert_eq!(delay(Some("Wed, 21 Oct 2015 07:28:00 GMT")), 1.0);
    }

    #[test]
    fn a_status_decides_between_later_again_and_never() {
        assert!(matches!(refused(429, Some("2")), Trouble::Later(2.0, _)));
        assert!(matches!(refused(529, None), Trouble::Later(..)));
        assert!(matches!(
            refused(500, None),
            Trouble::Failed(Failure {
                retryable: true,
                ..
            })
        ));
        assert!(matches!(
            refused(401, None),
            Trouble::Failed(Failure {
                retryable: false,
                ..
            })
        ));
    }

    #[test]
    fn an_answer_of_another_shape_is_none() {
        let read = |text: &str| serde_json::from_str::<Facts>(unfenced(text)).is_ok();
        assert!(read("```json\n{\"facts\": []}\n```"));
        assert!(!read("{\"facts\": [], \"note\": 1}"));
        assert!(!read("{\"facts\": [{\"kind\": \"opinion\"}]}"));
        assert!(!read("{\"facts\": ["));
        assert!(!read("Here are the facts:"));
    }
}
