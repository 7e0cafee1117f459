//! What does it mean? Three passes, by the built-in rules or by a model.

use std::time::Instant;

use serde_json::{Value, json};

use super::model::{Block, Entity, Fact};
use super::provider::{self, Asked};
use super::{Stage, Trouble, builtin};

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
    let (mut result, asked) = match &stage.settings.model {
        None => (by_rules(stage, &content), Asked::default()),
        Some(model) => by_model(stage, model, &content).await?,
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
    let kept = json!({ "provider": stage.settings.provider_name(), "tokens": asked.tokens });
    stage.finish(&result, &kept).await
}

fn by_rules(stage: &Stage<'_>, content: &Content) -> Value {
    match stage.document.stage.as_str() {
        "pass1" => json!({ "entities": builtin::entities(&content.blocks) }),
        "pass2" => json!({ "facts": builtin::facts(&content.entities) }),
        _ => json!(builtin::narrate(&content.facts)),
    }
}

async fn by_model(
    stage: &Stage<'_>,
    model: &provider::Model,
    content: &Content,
) -> Result<(Value, Asked), Trouble> {
    match stage.document.stage.as_str() {
        "pass1" => {
            let (answer, asked) = provider::ask::<provider::Entities>(
                model,
                stage.context,
                provider::ENTITIES,
                &json!(content.blocks),
            )
            .await?;
            Ok((json!(answer), asked))
        }
        "pass2" => {
            let (answer, asked) = provider::ask::<provider::Facts>(
                model,
                stage.context,
                provider::FACTS,
                &json!(content.entities),
            )
            .await?;
            Ok((json!(answer), asked))
        }
        _ => {
            let (answer, asked) = provider::ask::<super::model::Narrative>(
                model,
                stage.context,
                provider::NARRATIVE,
                &json!(content.facts),
            )
            .await?;
            Ok((json!(answer), asked))
        }
    }
}
