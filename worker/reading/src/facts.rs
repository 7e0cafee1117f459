//! What was read becomes what is known: one fact for what is said twice, numbers, doubts, and entities.

use serde_json::{Value, json};

use crate::Reading;
use crate::model::{Doubt, Entity, EntityKind, Fact, FactKind, Status};

pub(crate) fn settled(found: Vec<Fact>, rows: Vec<Doubt>) -> Reading {
    let mut facts: Vec<Fact> = Vec::new();
    for fact in found {
        match facts.iter().position(|known| is_same(known, &fact)) {
            Some(at) => merge(&mut facts[at], fact),
            None => facts.push(fact),
        }
    }
    let patient = facts
        .iter()
        .find(|fact| fact.kind == FactKind::Patient)
        .map(|fact| fact.name.to_lowercase());
    facts.retain(|fact| {
        fact.kind != FactKind::Provider || Some(fact.name.to_lowercase()) != patient
    });
    outdone(&mut facts);
    facts.sort_by(|a, b| {
        rank(a)
            .partial_cmp(&rank(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut doubts = rows;
    for (at, fact) in facts.iter_mut().enumerate() {
        fact.number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        doubts.extend(fact.doubts.iter().map(|doubt| Doubt {
            fact: Some(fact.number),
            ..doubt.clone()
        }));
    }
    let entities = facts.iter().map(entity).collect();
    Reading {
        entities,
        facts,
        doubts,
    }
}

fn rank(fact: &Fact) -> (u32, u32, f32) {
    let kind = match fact.kind {
        FactKind::Patient => 0,
        FactKind::Provider => 1,
        FactKind::Date => 2,
        _ => 3,
    };
    (
        kind,
        fact.page.unwrap_or(0),
        fact.place.map_or(0.0, |place| place[1]),
    )
}

fn text<'a>(fact: &'a Fact, key: &str) -> Option<&'a Value> {
    fact.value.get(key).filter(|value| !value.is_null())
}

fn agrees(a: &Fact, b: &Fact, keys: &[&str]) -> bool {
    keys.iter().all(|key| match (text(a, key), text(b, key)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    })
}

fn is_same(known: &Fact, fact: &Fact) -> bool {
    if known.kind != fact.kind {
        return false;
    }
    let named = known.name.to_lowercase() == fact.name.to_lowercase();
    match fact.kind {
        FactKind::Patient => true,
        FactKind::Provider => is_one_person(&known.name, &fact.name),
        FactKind::Medication => {
            named
                && known.status == fact.status
                && agrees(known, fact, &["dose", "unit", "frequency"])
        }
        FactKind::Lab => {
            named
                && text(known, "value") == text(fact, "value")
                && agrees(known, fact, &["unit", "low", "high"])
        }
        FactKind::Allergy => named && known.status == fact.status,
        FactKind::Condition => {
            named && (known.status == fact.status || is_held(known) && is_held(fact))
        }
        FactKind::Procedure => {
            named && known.status == fact.status && agrees(known, fact, &["date"])
        }
        FactKind::Finding => named && known.status == fact.status,
        FactKind::Date | FactKind::VitalSign | FactKind::Immunisation | FactKind::Appointment => {
            (named || fact.kind == FactKind::Appointment)
                && known.status == fact.status
                && agrees(known, fact, &["date", "value", "systolic", "diastolic"])
        }
    }
}

fn is_held(fact: &Fact) -> bool {
    matches!(fact.status, Status::Current | Status::Historical)
}

/// "A. Lee", "Lee" and "Ann Lee" are one.
fn is_one_person(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        name.to_lowercase()
            .split_whitespace()
            .map(|word| word.trim_end_matches('.').to_owned())
            .collect()
    };
    let (one, other) = (words(one), words(other));
    if one.last() != other.last() {
        return false;
    }
    match (one.first(), other.first()) {
        _ if one.len() == 1 || other.len() == 1 => true,
        (Some(a), Some(b)) => {
            a == b
                || a.len() == 1 && b.starts_with(a.as_str())
                || b.len() == 1 && a.starts_with(b.as_str())
        }
        _ => false,
    }
}

/// The first place stays; what it did not say is taken from the second.
fn merge(known: &mut Fact, fact: Fact) {
    if known.kind == FactKind::Provider {
        let is_fuller = fact.name.len() > known.name.len();
        let role = |fact: &Fact| {
            fact.value
                .get("role")
                .and_then(Value::as_str)
                .unwrap_or("other")
                .to_owned()
        };
        if role(known) == "other" {
            known.value.insert("role".into(), json!(role(&fact)));
        }
        if is_fuller {
            known.name = fact.name;
        }
        return;
    }
    if known.kind == FactKind::Condition
        && known.status == Status::Historical
        && fact.status == Status::Current
    {
        known.status = Status::Current;
        known.decided_by = None;
    }
    for (key, value) in fact.value {
        let is_missing = known.value.get(&key).is_none_or(Value::is_null);
        if is_missing {
            known.value.insert(key, value);
        }
    }
    if known.code.is_none() && fact.code.is_some() {
        (known.code_system, known.code) = (fact.code_system, fact.code);
    }
}

/// What a later statement of the same medicine takes back: a list at admission, against "stopped" or "changed".
fn outdone(facts: &mut Vec<Fact>) {
    let others: Vec<Fact> = facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Medication)
        .cloned()
        .collect();
    let is_bare = |fact: &Fact| text(fact, "dose").is_none() && text(fact, "frequency").is_none();
    facts.retain(|fact| {
        if fact.kind != FactKind::Medication
            || !matches!(fact.status, Status::Current | Status::Historical)
        {
            return true;
        }
        let same: Vec<&Fact> = others
            .iter()
            .filter(|other| other.name == fact.name && other.status != fact.status)
            .collect();
        let stopped = same
            .iter()
            .any(|other| other.status == Status::Stopped && agrees(other, fact, &["dose", "unit"]));
        let changed = same.iter().any(|other| {
            other.status == Status::Changed
                && (is_bare(fact)
                    || was(other, fact)
                    || agrees(other, fact, &["dose", "unit", "frequency"]))
        });
        let told = is_bare(fact)
            && others
                .iter()
                .any(|other| other.name == fact.name && !is_bare(other));
        !(fact.status == Status::Current && (stopped || changed) || told)
    });
}

/// The dose of one was the dose of the other before.
fn was(changed: &Fact, fact: &Fact) -> bool {
    let before = text(changed, "previous")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let dose = text(fact, "dose")
        .map(|dose| {
            dose.as_str()
                .map_or_else(|| dose.to_string(), str::to_owned)
        })
        .unwrap_or_default();
    !dose.is_empty() && before.split(' ').next() == Some(dose.as_str())
}

fn entity(fact: &Fact) -> Entity {
    let mut detail = fact.value.clone();
    detail.insert("status".into(), json!(fact.status));
    detail.insert("certainty".into(), json!(fact.certainty));
    if let Some(by) = &fact.decided_by {
        detail.insert("decided_by".into(), json!(by.text));
    }
    let kind = match fact.kind {
        FactKind::Patient => EntityKind::Person,
        FactKind::Provider => EntityKind::Provider,
        FactKind::Date => EntityKind::Date,
        FactKind::Condition => EntityKind::Condition,
        FactKind::Medication => EntityKind::Medication,
        FactKind::Lab => EntityKind::Lab,
        FactKind::Allergy => EntityKind::Allergy,
        FactKind::Procedure => EntityKind::Procedure,
        FactKind::Finding => EntityKind::Finding,
        FactKind::VitalSign => EntityKind::VitalSign,
        FactKind::Immunisation => EntityKind::Immunisation,
        FactKind::Appointment => EntityKind::Appointment,
    };
    if kind == EntityKind::Person {
        detail.insert("role".into(), json!("patient"));
    }
    Entity {
        kind,
        text: fact.name.clone(),
        detail,
        page: fact.page,
        place: fact.place,
        confidence: fact.confidence,
    }
}
