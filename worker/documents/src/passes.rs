//! What does it mean? Three passes, by the built-in rules or by a model.

use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model::{Block, Entity, Fact, Narrative};
use super::{Stage, Trouble, builtin};
use gristmill_models::Asked;

const ENTITIES: &str = "From the blocks of a medical document, given as JSON with page and box, list what it speaks of. Answer with one JSON object {\"entities\": [{\"kind\": \"person|provider|date|condition|medication|lab\", \"text\": string, \"detail\": object, \"page\": number|null, \"box\": [left, top, right, bottom]|null, \"confidence\": number|null}]} and nothing else. Mark what is denied with detail.negated.";
const FACTS: &str = "From the entities of a medical document, given as JSON, list what is so. Answer with one JSON object {\"facts\": [{\"kind\": \"patient|provider|date|condition|medication|lab\", \"name\": string, \"value\": object, \"code_system\": string|null, \"code\": string|null, \"page\": number|null, \"box\": [left, top, right, bottom]|null, \"confidence\": number|null}]} and nothing else. Give a code only where it is certain.";
const NARRATIVE: &str = "From the numbered facts of a medical document, given as JSON, write a short narrative and a timeline. Answer with one JSON object {\"sentences\": [{\"text\": string, \"facts\": [number]}], \"timeline\": [{\"date\": \"YYYY-MM-DD\", \"text\": string, \"facts\": [number]}]} and nothing else. Every sentence cites the numbers of its facts.";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entities {
    entities: Vec<Entity>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    facts: Vec<Fact>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Content {
    blocks: Vec<Block>,
    entities: Vec<Entity>,
    facts: Vec<Fact>,
}

pub(super) async fn run(stage: &Stage<'_>) -> Result<(), Trouble> {
    let started = Instant::now();
    let parts: &[&str] = match stage.document.stage.as_str() {
        "pass1" => &["blocks"],
        "pass2" => &["entities"],
        _ => &["facts"],
    };
    let content: Content = stage
        .context
        .rpc
        .document_content(stage.document.id, parts)
        .await?;
    let (mut result, asked) = match by_model(stage, &content).await? {
        Some(answered) => answered,
        None => (by_rules(stage, &content), Asked::default()),
    };
    let usage = json!({
        "total_calls": asked.calls, "successful_calls": asked.calls, "tokens": asked.tokens,
        "seconds": started.elapsed().as_secs_f64(),
    });
    if let Some(result) = result.as_object_mut() {
        result.insert("usage".into(), usage);
        if let Some(answer) = &asked.answer {
            result.insert("raw".into(), json!({ "answer": answer }));
        }
    }
    let kept = json!({ "provider": stage.settings.models.provider_name(), "tokens": asked.tokens });
    stage.finish(&result, &kept).await
}

fn by_rules(stage: &Stage<'_>, content: &Content) -> Value {
    match stage.document.stage.as_str() {
        "pass1" => json!({ "entities": builtin::entities(&content.blocks) }),
        "pass2" => json!({ "facts": builtin::facts(&content.entities) }),
        _ => json!(builtin::narrate(&content.facts)),
    }
}

/// None where no model is configured.
async fn by_model(stage: &Stage<'_>, content: &Content) -> Result<Option<(Value, Asked)>, Trouble> {
    match stage.document.stage.as_str() {
        "pass1" => answered::<Entities>(stage, ENTITIES, &json!(content.blocks)).await,
        "pass2" => answered::<Facts>(stage, FACTS, &json!(content.entities)).await,
        _ => answered::<Narrative>(stage, NARRATIVE, &json!(content.facts)).await,
    }
}

async fn answered<T: DeserializeOwned + Serialize>(
    stage: &Stage<'_>,
    task: &str,
    input: &Value,
) -> Result<Option<(Value, Asked)>, Trouble> {
    let models = &stage.settings.models;
    let answer = models.ask::<T>(stage.context, task, input).await?;
    Ok(answer.map(|(answer, asked)| (json!(answer), asked)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_another_shape_is_none() {
        let read = |text: &str| serde_json::from_str::<Facts>(text).is_ok();
        assert!(read("{\"facts\": []}"));
        assert!(!read("{\"facts\": [], \"note\": 1}"));
        assert!(!read("{\"facts\": [{\"kind\": \"opinion\"}]}"));
        assert!(!read("{\"facts\": ["));
        assert!(!read("Here are the facts:"));
    }
}
