//! Chat completions, as OpenAI and everyone compatible with it has them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Endpoint, Unanswered, exchange};

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    total_tokens: u64,
}

pub(super) async fn complete(
    endpoint: &Endpoint,
    model: &str,
    task: &str,
    input: &Value,
) -> Result<(Option<String>, u64), Unanswered> {
    let asked = json!({
        "model": model,
        "temperature": 0,
        "response_format": { "type": "json_object" },
        "messages": [{ "role": "system", "content": task }, { "role": "user", "content": input.to_string() }],
    });
    let request = endpoint
        .client
        .post(format!("{}/chat/completions", endpoint.url))
        .bearer_auth(&endpoint.key);
    let request = request
        .header("content-type", "application/json")
        .body(asked.to_string());
    let Some(answer) = exchange::<Answer>(request).await? else {
        return Ok((None, 0));
    };
    let tokens = answer.usage.total_tokens;
    // Cut off at the limit of tokens: whatever it is, it is not whole.
    let choice = answer
        .choices
        .into_iter()
        .next()
        .filter(|choice| choice.finish_reason.as_deref() != Some("length"));
    Ok((choice.and_then(|choice| choice.message.content), tokens))
}
