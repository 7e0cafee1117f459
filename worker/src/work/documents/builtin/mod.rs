//! The provider that needs no key and no network: rules and dictionaries.
//!
//! It reads only what the stages before it found, so what it finds can always be shown on the page.

mod dictionary;
mod flow;
mod labs;
mod medications;
mod narrate;
mod people;

use serde_json::{Map, Value, json};

use super::model::{Block, Box4, Entity, EntityKind, Fact, FactKind};
use flow::Flow;
use people::Label;

pub(super) use narrate::narrate;

/// One letter misread, missing or doubled ("rn" for "m" counts as one too), in a word that is long enough to tell.
fn near(known: &str, read: &str) -> bool {
    let (known, read) = (known.to_lowercase(), read.to_lowercase());
    known.len() >= 6
        && (strsim::levenshtein(&known, &read) <= 1
            || known == read.replace("rn", "m")
            || known.replace("rn", "m") == read.replace("rn", "m"))
}

/// First pass.
pub(super) fn entities(blocks: &[Block]) -> Vec<Entity> {
    let mut found: Vec<Entity> = Vec::new();
    for flow in flow::flows(blocks) {
        labelled(blocks, &flow, &mut found);
        for (line, place) in flow.lines() {
            if let Some((name, detail, confidence)) = labs::read(line) {
                found.push(entity(
                    EntityKind::Lab,
                    name,
                    detail,
                    flow.page,
                    place,
                    confidence,
                ));
            }
        }
        for (from, to, name) in people::doctors(&flow.text) {
            found.push(entity(
                EntityKind::Provider,
                name,
                Map::new(),
                flow.page,
                flow.place(from, to),
                0.9,
            ));
        }
        dated(&flow, &mut found);
        for medicine in medications::find(&flow.text) {
            let place = flow.place(medicine.from, medicine.to);
            found.push(entity(
                EntityKind::Medication,
                medicine.name,
                medicine.detail,
                flow.page,
                place,
                medicine.confidence,
            ));
        }
        conditions(&flow, &mut found);
    }
    found
}

fn entity(
    kind: EntityKind,
    text: String,
    detail: Map<String, Value>,
    page: u32,
    place: Box4,
    confidence: f32,
) -> Entity {
    Entity {
        kind,
        text,
        detail,
        page: Some(page),
        place: Some(place),
        confidence: Some(confidence),
    }
}

fn with(name: &str, value: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value.into())])
}

// Key-value pairs, cell by cell: two may stand on one line.
fn labelled(blocks: &[Block], flow: &Flow<'_>, found: &mut Vec<Entity>) {
    for block in blocks
        .iter()
        .filter(|block| block.kind == "pair" && block.page == flow.page)
    {
        let field = |name: &str| block.content[name].as_str().unwrap_or_default();
        let (value, place) = (field("value"), block.place);
        let mut push = |kind, text: String, detail, confidence| {
            found.push(entity(kind, text, detail, flow.page, place, confidence))
        };
        let date = people::dates(value)
            .first()
            .map(|(_, _, date)| date.to_string());
        match people::label(field("key")) {
            Some(Label::Patient) => {
                if let Some(name) = people::name(value) {
                    push(EntityKind::Person, name, with("role", "patient"), 0.95);
                }
            }
            Some(Label::Provider) => {
                if let Some(name) = people::name(value) {
                    push(EntityKind::Provider, name, Map::new(), 0.95);
                }
            }
            Some(Label::Birth) => {
                if let Some(date) = date {
                    push(EntityKind::Date, date, with("label", "birth"), 0.95);
                }
            }
            Some(Label::Date(label)) => {
                if let Some(date) = date {
                    push(EntityKind::Date, date, with("label", label), 0.95);
                }
            }
            Some(Label::Sex) => push(
                EntityKind::Person,
                value.to_lowercase(),
                with("role", "sex"),
                0.9,
            ),
            Some(Label::RecordNumber) => push(
                EntityKind::Person,
                value.to_owned(),
                with("role", "record_number"),
                0.9,
            ),
            Some(Label::Diagnosis) | None => {}
        }
    }
}

// A date without a label has the meaning of what was said before it.
fn dated(flow: &Flow<'_>, found: &mut Vec<Entity>) {
    let lower = flow.text.to_lowercase();
    for (from, to, date) in people::dates(&flow.text) {
        let before = &lower[..from];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        if line
            .rfind(':')
            .is_some_and(|colon| line[colon + 1..].trim().is_empty())
        {
            continue; // labelled
        }
        let nearest = [
            ("follow-up", "follow-up"),
            ("follow up", "follow-up"),
            ("admitted", "admitted"),
            ("discharged", "discharged"),
        ]
        .into_iter()
        .filter_map(|(word, label)| before.rfind(word).map(|at| (at, label)))
        .filter(|(at, _)| from - at < 160)
        .max();
        let label = nearest.map_or("mentioned", |(_, label)| label);
        found.push(entity(
            EntityKind::Date,
            date.to_string(),
            with("label", label),
            flow.page,
            flow.place(from, to),
            0.8,
        ));
    }
}

fn conditions(flow: &Flow<'_>, found: &mut Vec<Entity>) {
    // Line feeds count as spaces: names break over lines.
    let lower = flow.text.to_lowercase().replace('\n', " ");
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut names: Vec<(&str, &str, &str)> = dictionary::CONDITIONS
        .iter()
        .flat_map(|(names, code)| names.iter().map(move |name| (*name, names[0], *code)))
        .collect();
    // The longest first: "iron deficiency anemia" is not "anemia" as well.
    names.sort_by_key(|(name, _, _)| std::cmp::Reverse(name.len()));
    for (name, usual, code) in names {
        for (from, _) in lower.match_indices(name) {
            let to = from + name.len();
            let letter = |at: Option<char>| at.is_some_and(char::is_alphanumeric);
            let is_part =
                letter(lower[..from].chars().next_back()) || letter(lower[to..].chars().next());
            if is_part || taken.iter().any(|(start, end)| from < *end && to > *start) {
                continue;
            }
            taken.push((from, to));
            let mut detail = with("code_system", "ICD-10-CM");
            detail.insert("code".into(), json!(code));
            if let Some(doubt) = doubt(&lower[..from]) {
                detail.insert(doubt.into(), json!(true));
            }
            found.push(entity(
                EntityKind::Condition,
                usual.to_owned(),
                detail,
                flow.page,
                flow.place(from, to),
                0.9,
            ));
        }
    }
}

/// Whether what follows is said not to be so, or to be so of somebody else.
fn doubt(before: &str) -> Option<&'static str> {
    let sentence = &before[before.rfind(['.', ';', ':']).map_or(0, |at| at + 1)..];
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let last: String = words[words.len().saturating_sub(6)..].join(" ");
    let says = |phrases: &[&str]| {
        phrases
            .iter()
            .any(|phrase| format!(" {last} ").contains(&format!(" {phrase} ")))
    };
    if says(&[
        "no",
        "denies",
        "denied",
        "without",
        "negative for",
        "ruled out",
        "not",
        "rule out",
        "absence of",
    ]) {
        Some("negated")
    } else if says(&[
        "family history of",
        "mother had",
        "father had",
        "mother with",
        "father with",
    ]) {
        Some("family")
    } else {
        None
    }
}

/// Second pass: what is so, each once.
pub(super) fn facts(entities: &[Entity]) -> Vec<Fact> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, at: usize) -> Block {
        let top = at as f32 * 0.05;
        Block {
            kind: "line".into(),
            page: 1,
            text: text.into(),
            content: Value::Null,
            place: [0.1, top, 0.9, top + 0.02],
        }
    }

    fn conditions_of(lines: &[&str]) -> Vec<String> {
        let blocks: Vec<Block> = lines
            .iter()
            .enumerate()
            .map(|(at, text)| line(text, at))
            .collect();
        let found = facts(&entities(&blocks));
        found
            .into_iter()
            .filter(|fact| fact.kind == FactKind::Condition)
            .map(|fact| fact.name)
            .collect()
    }

    #[test]
    fn what_is_denied_or_another_s_is_no_fact() {
        assert_eq!(
            conditions_of(&["There was no", "evidence of heart failure. She has asthma."]),
            ["asthma"]
        );
        assert_eq!(
            conditions_of(&["Family history of stroke.", "Denies migraine."]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_longer_name_wins_and_a_part_of_a_word_is_none() {
        assert_eq!(
            conditions_of(&["Iron deficiency anemia"]),
            ["iron deficiency anemia"]
        );
        assert_eq!(conditions_of(&["Strokes of genius"]), Vec::<String>::new());
    }

    #[test]
    fn a_fact_keeps_the_box_of_its_line() {
        let blocks = [line("nothing", 0), line("Atrial fibrillation", 1)];
        let found = facts(&entities(&blocks));
        assert_eq!(found[0].place, Some([0.1, 0.05, 0.9, 0.07]));
        assert_eq!(found[0].code.as_deref(), Some("I48.91"));
    }
}
