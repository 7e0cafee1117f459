//! What does it mean? Three passes, by the rules of `gristmill-reading` or by a model.

use std::time::Instant;

use gristmill_reading::{Block, Doubt, Entity, Fact, Narrative, Page, narrate, read};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Stage, Trouble, check};
use gristmill_models::Asked;

const ENTITIES: &str = "From the blocks of a medical document, given as JSON with page and box, list what it speaks of. Answer with one JSON object {\"entities\": [{\"kind\": \"person|provider|date|condition|medication|lab|allergy|procedure|finding|vital_sign|immunisation|appointment\", \"text\": string, \"detail\": object, \"page\": number|null, \"box\": [left, top, right, bottom]|null, \"confidence\": number|null}]} and nothing else. Keep the words that decide whether it is so: in detail.status one of current|stopped|changed|historical|ruled_out|suspected|family|planned, in detail.certainty one of certain|likely|possible, and in detail.decided_by the words themselves.";
const FACTS: &str = "From the entities and blocks of a medical document, given as JSON, list what the document says. Answer with one JSON object {\"facts\": [{\"kind\": \"patient|provider|date|condition|medication|lab|allergy|procedure|finding|vital_sign|immunisation|appointment\", \"name\": string, \"written\": string, \"value\": object, \"status\": \"current|stopped|changed|historical|ruled_out|suspected|family|planned\", \"certainty\": \"certain|likely|possible\", \"decided_by\": {\"text\": string, \"page\": number, \"box\": [left, top, right, bottom]}|null, \"code_system\": string|null, \"code\": string|null, \"page\": number|null, \"box\": [left, top, right, bottom]|null, \"confidence\": number|null}]} and nothing else. Copy into written the words of the page that say it; a fact whose words and numbers are not on the page is refused. What is denied is ruled_out; what a relative has is family; a medicine under a heading such as STOP is stopped, one given in hospital alone is historical, one with another dose than before is changed. Values by kind: patient {birth_date, sex, record_number}; provider {role}; date {date}; medication {dose, unit, frequency, route, form, days, as_needed, quantity, refills, previous}; lab {value, comparator, unit, low, high, flag, abnormal}; allergy {reaction, severity}; procedure {date}; vital_sign {value, unit} or {systolic, diastolic, unit}; immunisation {date}; appointment {date, time, with}. Dates are YYYY-MM-DD. Give a code only where it is certain.";
const NARRATIVE: &str = "From the numbered facts of a medical document, given as JSON, write a short narrative and a timeline. Answer with one JSON object {\"sentences\": [{\"text\": string, \"facts\": [number]}], \"timeline\": [{\"date\": \"YYYY-MM-DD\", \"text\": string, \"facts\": [number]}]} and nothing else. Every sentence cites the numbers of its facts. A fact whose status is neither current nor changed, or whose certainty is not certain, stands in a sentence of its own that says so, such as \"Stopped: …\" or \"Ruled out: …\".";

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
    pages: Vec<Page>,
    blocks: Vec<Block>,
    entities: Vec<Entity>,
    facts: Vec<Fact>,
}

pub(super) async fn run(stage: &Stage<'_>) -> Result<(), Trouble> {
    let started = Instant::now();
    let content: Content = stage
        .context
        .rpc
        .document_content(stage.document.id, parts(stage))
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

/// The parts of a document that a pass reads. Rules read words with their places; a model is given blocks, and its facts are compared with
/// the words.
fn parts(stage: &Stage<'_>) -> &'static [&'static str] {
    let asks = stage.settings.models.provider_name() != "builtin";
    match (stage.document.stage.as_str(), asks) {
        ("pass1", true) => &["blocks"],
        ("pass2", true) => &["pages", "words", "blocks", "entities"],
        ("pass1" | "pass2", false) => &["pages", "words"],
        _ => &["facts"],
    }
}

fn by_rules(stage: &Stage<'_>, content: &Content) -> Value {
    match stage.document.stage.as_str() {
        "pass1" => json!({ "entities": read(&content.pages).entities }),
        // The second pass reads the pages again: a fact needs the words and places that an entity has lost, and reading takes milliseconds.
        "pass2" => {
            let reading = read(&content.pages);
            found(&reading.facts, reading.doubts)
        }
        _ => json!(narrate(&content.facts)),
    }
}

/// Facts carry their own doubts; what is left are those about the document, such as a row that was not understood.
fn found(facts: &[Fact], mut doubts: Vec<Doubt>) -> Value {
    doubts.retain(|doubt| doubt.fact.is_none());
    json!({ "facts": facts, "doubts": doubts })
}

/// None where no model is configured. What the page does not say is refused, and a person is asked to look at it.
async fn by_model(stage: &Stage<'_>, content: &Content) -> Result<Option<(Value, Asked)>, Trouble> {
    match stage.document.stage.as_str() {
        "pass1" => {
            let answer = answered::<Entities>(stage, ENTITIES, &json!(content.blocks)).await?;
            Ok(answer.map(|(answer, asked)| {
                let checked = check::entities(answer.entities, &content.blocks);
                let result = json!({ "entities": checked.kept, "doubts": checked.doubts });
                (result, asked)
            }))
        }
        "pass2" => {
            let input = json!({ "entities": content.entities, "blocks": content.blocks });
            let answer = answered::<Facts>(stage, FACTS, &input).await?;
            Ok(answer.map(|(answer, asked)| {
                let checked = check::facts(answer.facts, &content.pages);
                (found(&checked.kept, checked.doubts), asked)
            }))
        }
        _ => {
            let answer = answered::<Narrative>(stage, NARRATIVE, &json!(content.facts)).await?;
            Ok(answer.map(|(answer, asked)| {
                let (narrative, doubts) = check::narrative(answer, &content.facts);
                let mut result = json!(narrative);
                result["doubts"] = json!(doubts);
                (result, asked)
            }))
        }
    }
}

async fn answered<T: DeserializeOwned>(
    stage: &Stage<'_>,
    task: &str,
    input: &Value,
) -> Result<Option<(T, Asked)>, Trouble> {
    let models = &stage.settings.models;
    Ok(models.ask::<T>(stage.context, task, input).await?)
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

    #[test]
    fn a_model_is_told_of_every_kind_status_and_certainty_that_its_answer_may_have() {
        for kind in [
            "patient",
            "provider",
            "date",
            "condition",
            "medication",
            "lab",
            "allergy",
            "procedure",
            "finding",
            "vital_sign",
            "immunisation",
            "appointment",
        ] {
            let fact = json!({ "kind": kind, "name": "x" });
            assert!(serde_json::from_value::<Fact>(fact).is_ok(), "{kind}");
            assert!(FACTS.contains(kind), "{kind}");
        }
        for status in [
            "current",
            "stopped",
            "changed",
            "historical",
            "ruled_out",
            "suspected",
            "family",
            "planned",
        ] {
            let fact = json!({ "kind": "condition", "name": "x", "status": status });
            assert!(serde_json::from_value::<Fact>(fact).is_ok(), "{status}");
            assert!(FACTS.contains(status), "{status}");
        }
        for certainty in ["certain", "likely", "possible"] {
            let fact = json!({ "kind": "condition", "name": "x", "certainty": certainty });
            assert!(serde_json::from_value::<Fact>(fact).is_ok(), "{certainty}");
            assert!(FACTS.contains(certainty), "{certainty}");
        }
    }
}
