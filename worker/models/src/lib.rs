//! Model providers behind HTTP, each call within the limit of its provider. What they answer is parsed strictly: a wrong shape is asked for once more, and twice wrong is
//! the end. Neither prompts nor answers are logged.

mod anthropic;
mod capacity;
mod openai;
mod settings;
mod vision;

use gristmill_core::job::{Failure, Outcome};
use gristmill_rpc::RpcError;
use gristmill_runner::Context;
use reqwest::{Client, RequestBuilder};
use serde::de::DeserializeOwned;

pub use settings::{BadSettings, Models};
pub use vision::{Recognized, RecognizedWord};

use capacity::Capacity;

/// An answer that is larger is no answer.
const MAX_ANSWER: usize = 4 * 1024 * 1024;

/// A model, and who serves it.
struct Model {
    dialect: Dialect,
    endpoint: Endpoint,
    name: String,
    capacity: Capacity,
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
pub struct Asked {
    /// Calls of the provider.
    pub calls: u32,
    /// Tokens, as the provider counts them.
    pub tokens: u64,
    /// As it came. Postgres keeps it only where documents.keep_raw_answers is on.
    pub answer: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// Postgres, which counts the calls, did not answer.
    #[error(transparent)]
    Rpc(#[from] RpcError),
    /// The provider failed, or refused.
    #[error("{}", .0.message)]
    Failed(Failure),
    /// The provider, or its limit, asks to come back in so many seconds: no attempt is used up.
    #[error("{}", .1.message)]
    Later(f64, Failure),
}

impl From<Unanswered> for Outcome {
    fn from(error: Unanswered) -> Self {
        match error {
            Unanswered::Failed(failure) => Self::from_failure(failure),
            Unanswered::Later(delay_seconds, error) => Self::Snoozed {
                delay_seconds,
                error,
            },
            Unanswered::Rpc(error) if error.is_passing() => Self::Released,
            Unanswered::Rpc(error) => Self::Failed {
                error: Failure::retryable("network_error", error.to_string()),
            },
        }
    }
}

impl Models {
    /// Asks the configured model, and reads the answer as `T` and nothing else; none where no model is configured.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        context: &Context<'_>,
        task: &str,
        input: &serde_json::Value,
    ) -> Result<Option<(T, Asked)>, Unanswered> {
        match &self.model {
            None => Ok(None),
            Some(model) => model.ask(context, task, input).await.map(Some),
        }
    }
}

impl Model {
    async fn ask<T: DeserializeOwned>(
        &self,
        context: &Context<'_>,
        task: &str,
        input: &serde_json::Value,
    ) -> Result<(T, Asked), Unanswered> {
        let mut asked = Asked::default();
        for round in 0..2 {
            let reserved = match self
                .capacity
                .reserve(context, context.estimated_tokens)
                .await
            {
                // Put off here, a model that is always wrong would be asked for ever: the attempt is used up instead.
                Err(Unanswered::Later(..)) if round > 0 => {
                    return Err(Unanswered::Failed(Failure::retryable(
                        "unsupported",
                        "the model answered in another shape than agreed",
                    )));
                }
                reserved => reserved?,
            };
            let (endpoint, name) = (&self.endpoint, &self.name);
            let answered = match self.dialect {
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
        Err(Unanswered::Failed(Failure::permanent(
            "unsupported",
            "the model answered twice in another shape than agreed",
        )))
    }
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
async fn exchange<T: DeserializeOwned>(request: RequestBuilder) -> Result<Option<T>, Unanswered> {
    let unreachable = |error: reqwest::Error| {
        let kind = if error.is_timeout() {
            "ai_timeout"
        } else {
            "network_error"
        };
        Unanswered::Failed(Failure::retryable(kind, error.without_url().to_string()))
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

fn refused(status: u16, retry_after: Option<&str>) -> Unanswered {
    let failure = |kind, message: &str, retryable| {
        let failure = match retryable {
            true => Failure::retryable(kind, message),
            false => Failure::permanent(kind, message),
        };
        failure.http_status(status)
    };
    match status {
        429 | 529 | 503 => Unanswered::Later(
            delay(retry_after),
            failure("rate_limited", "the provider asks to come back later", true),
        ),
        500..=599 | 408 => {
            Unanswered::Failed(failure("network_error", "the provider failed", true))
        }
        _ => Unanswered::Failed(failure(
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
        assert!(matches!(refused(429, Some("2")), Unanswered::Later(2.0, _)));
        assert!(matches!(refused(529, None), Unanswered::Later(..)));
        assert!(matches!(
            refused(500, None),
            Unanswered::Failed(Failure {
                retryable: true,
                ..
            })
        ));
        assert!(matches!(
            refused(401, None),
            Unanswered::Failed(Failure {
                retryable: false,
                ..
            })
        ));
    }

    #[test]
    fn a_fence_around_an_answer_is_cut_off() {
        assert_eq!(unfenced("```json\n{\"a\": 1}\n```"), "{\"a\": 1}");
        assert_eq!(unfenced("```\n[]\n```"), "[]");
        assert_eq!(unfenced(" [] "), "[]");
    }
}
