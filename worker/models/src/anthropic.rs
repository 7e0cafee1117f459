//! Anthropic's messages.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Endpoint, Unanswered, exchange};

const MAX_TOKENS: u32 = 8192;

#[derive(Deserialize)]
struct Answer {
    content: Vec<Part>,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    input_tokens: u64,
    output_tokens: u64,
}

pub(super) async fn complete(
    endpoint: &Endpoint,
    model: &str,
    task: &str,
    input: &Value,
) -> Result<(Option<String>, u64), Unanswered> {
    let asked = json!({
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": task,
        "messages": [{ "role": "user", "content": input.to_string() }],
    });
    let request = endpoint
        .client
        .post(format!("{}/v1/messages", endpoint.url))
        .header("x-api-key", &endpoint.key);
    let request = request
        .header("anthropic-version", "2023-06-01")
        .header("content-type", "application/json")
        .body(asked.to_string());
    let Some(answer) = exchange::<Answer>(request).await? else {
        return Ok((None, 0));
    };
    let tokens = answer.usage.input_tokens + answer.usage.output_tokens;
    let whole = answer.stop_reason.as_deref() != Some("max_tokens");
    let text: String = answer
        .content
        .iter()
        .map(|part| part.text.as_str())
        .collect();
    Ok((whole.then_some(text), tokens))
}
