//! Second pass: what is so.

use serde_json::{Map, Value, json};

use super::super::model::{Entity, EntityKind, Fact, FactKind};
use super::with;

/// Each fact once.
pub(crate) fn facts(entities: &[Entity]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    facts.extend(patient(entities));
    for entity in entities {
        let label = entity.detail.get("label").and_then(Value::as_str);
        let is_doubted =
            entity.detail.contains_key("negated") || entity.detail.contains_key("family");
        let (kind, name, value) = match entity.kind {
            EntityKind::Provider => (FactKind::Provider, entity.text.clone(), Map::new()),
            EntityKind::Date
                if label.is_some_and(|label| label != "birth" && label != "mentioned") =>
            {
                (
                    FactKind::Date,
                    label.unwrap_or_default().to_owned(),
                    with("date", entity.text.clone()),
                )
            }
            EntityKind::Condition if !is_doubted => {
                (FactKind::Condition, entity.text.clone(), Map::new())
            }
            // Without a dose it was only spoken of.
            EntityKind::Medication if entity.detail.contains_key("dose") => (
                FactKind::Medication,
                entity.text.clone(),
                entity.detail.clone(),
            ),
            EntityKind::Lab => (FactKind::Lab, entity.text.clone(), entity.detail.clone()),
            _ => continue,
        };
        let fact = fact(kind, name, value, entity);
        let known = facts
            .iter_mut()
            .find(|known| known.kind == fact.kind && known.name == fact.name);
        match known {
            // The same medicine or value twice is two facts when it differs, as from one day to the next.
            Some(known)
                if known.value == fact.value
                    || !matches!(
                        fact.kind,
                        FactKind::Lab | FactKind::Medication | FactKind::Date
                    ) =>
            {
                known.confidence = known
                    .confidence
                    .into_iter()
                    .chain(fact.confidence)
                    .reduce(f32::max);
            }
            _ => facts.push(fact),
        }
    }
    for (at, fact) in facts.iter_mut().enumerate() {
        fact.number = at as u32 + 1;
    }
    facts
}

fn fact(kind: FactKind, name: String, mut value: Map<String, Value>, entity: &Entity) -> Fact {
    let mut code = |from: &Map<String, Value>, name: &str| {
        value.remove(name);
        from.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    let (code_system, code) = (
        code(&entity.detail, "code_system"),
        code(&entity.detail, "code"),
    );
    Fact {
        number: 0,
        kind,
        name,
        value,
        code_system,
        code,
        page: entity.page,
        place: entity.place,
        confidence: entity.confidence,
    }
}

fn patient(entities: &[Entity]) -> Option<Fact> {
    let role = |wanted: &str| {
        entities
            .iter()
            .find(|entity| entity.detail.get("role").and_then(Value::as_str) == Some(wanted))
    };
    let named = role("patient")?;
    let mut value = Map::new();
    let birth = entities
        .iter()
        .find(|entity| entity.detail.get("label").and_then(Value::as_str) == Some("birth"));
    for (name, entity) in [
        ("birth_date", birth),
        ("sex", role("sex")),
        ("record_number", role("record_number")),
    ] {
        if let Some(entity) = entity {
            value.insert(name.into(), json!(entity.text));
        }
    }
    Some(fact(FactKind::Patient, named.text.clone(), value, named))
}
