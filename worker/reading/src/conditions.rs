//! Conditions by their names, each with what the words around it and the heading above it say.

use gristmill_dictionary::{self as dictionary, Section};

use crate::context;
use crate::lines::Item;
use crate::model::{Certainty, FactKind, Status};
use crate::reader::{Reader, fact};

/// Words behind a name that make it another thing: a clinic, a vaccine, a test.
const OTHER_THINGS: &str = "clinic|unit|team|nurse|vaccine|vaccination|screen|screening|test|ward|service|specialist|education|prophylaxis|\
    immunisation|immunization|association|society|foundation|centre|center|program|programme|precautions";

pub(crate) fn find(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        if item.is_heading || matches!(item.section(), Section::Allergies | Section::Immunisations)
        {
            continue;
        }
        let had = reader.facts.len();
        named(reader, at);
        if reader.facts.len() == had {
            listed(reader, at);
        }
    }
}

fn named(reader: &mut Reader, at: usize) {
    let item = &reader.items[at];
    let passage = item.passage.clone();
    let mut token = passage.token_from(item.body);
    let mut found = Vec::new();
    while token < passage.tokens.len() {
        let most = passage.unbroken(token, 8);
        let ahead: Vec<&str> = passage
            .ahead(token, passage.text.len())
            .into_iter()
            .take(most)
            .map(|word| word.trim_start_matches('?'))
            .collect();
        let Some((count, condition)) = dictionary::condition(&ahead) else {
            token += 1;
            continue;
        };
        let (from, to) = (passage.tokens[token].0, passage.tokens[token + count - 1].1);
        let next = if count < most {
            passage.token(token + count).to_lowercase()
        } else {
            String::new()
        };
        // "CAP" is an illness in capitals and a capsule otherwise; among directions it is always one.
        let written = &passage.text[from..to];
        let is_short = count == 1 && written.len() <= 4 && written.chars().all(char::is_alphabetic);
        let is_abbreviated = is_short && condition.name.len() > written.len() + 3;
        let is_loud = written.chars().filter(|c| c.is_uppercase()).count() >= 2;
        let in_directions = passage.tokens.iter().any(|(from, to)| {
            matches!(
                passage.text[*from..*to].to_lowercase().as_str(),
                "sig" | "po" | "disp" | "mg" | "tab"
            )
        });
        if is_abbreviated && (!is_loud || in_directions) {
            token += 1;
            continue;
        }
        if !reader.is_taken(at, from, to) && !crate::among(OTHER_THINGS, next.as_str()) {
            found.push((from, to, condition));
        }
        token += count;
    }
    for (from, to, condition) in found {
        push(reader, at, from, to, Some(condition), String::new());
    }
}

/// In a list of diagnoses an entry is one, whether a list of ours has its name or not.
fn listed(reader: &mut Reader, at: usize) {
    let item = &reader.items[at];
    let text = item.text()[item.body..].trim();
    let is_listed = matches!(item.section(), Section::Diagnoses);
    let marked = crate::lines::is_marked(text);
    let name = text
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .trim_end_matches(['.', ';', ',']);
    let count = name.split_whitespace().count();
    let is_name = (1..=7).contains(&count)
        && name.len() >= 4
        && !name.contains(':')
        && !name.contains(". ")
        && item.cells.len() <= 1;
    if !is_listed
        || !is_name
        || !(marked || count <= 5)
        || name.chars().any(|c| c.is_ascii_digit())
        || item.passage.tokens.is_empty()
    {
        return;
    }
    let from = item.body + item.text()[item.body..].find(name).unwrap_or(0);
    let to = from + name.len();
    if !reader.is_taken(at, from, to) && !crate::procedures::is_one(&item.passage, from, to) {
        push(reader, at, from, to, None, name.to_lowercase());
    }
}

fn of_section(item: &Item) -> Option<Status> {
    let heading = item
        .heading()
        .map(|heading| heading.text.to_lowercase())
        .unwrap_or_default();
    let says = |words: &[&str]| words.iter().any(|word| heading.contains(word));
    if says(&[
        "excluded",
        "ruled out",
        "not found",
        "looked for and not",
        "not confirmed",
    ]) {
        return Some(Status::RuledOut);
    }
    if says(&[
        "suspected",
        "differential",
        "possible diagnos",
        "to be excluded",
        "provisional",
    ]) {
        return Some(Status::Suspected);
    }
    match item.section() {
        Section::FamilyHistory => Some(Status::Family),
        Section::PastHistory => Some(Status::Historical),
        _ => None,
    }
}

fn push(
    reader: &mut Reader,
    at: usize,
    from: usize,
    to: usize,
    condition: Option<dictionary::Condition>,
    name: String,
) {
    let item = &reader.items[at];
    let passage = &item.passage;
    let judged = context::judge(passage, from, to);
    if judged.is_hypothetical {
        return;
    }
    let sure = match &condition {
        Some(condition) if condition.is_exact => 0.93,
        Some(_) => 0.75,
        None => 0.7,
    };
    let name = condition
        .as_ref()
        .map_or(name, |condition| condition.name.to_owned());
    let mut own = fact(FactKind::Condition, passage, from, to, name, sure);
    own.status = judged.status;
    own.certainty = judged.certainty;
    own.decided_by = judged.by;
    if let Some(status) = of_section(item)
        && (own.status == Status::Current
            || status == Status::Family && own.status == Status::Historical)
    {
        own.status = status;
        own.decided_by = item.heading();
    }
    if own.status == Status::Planned {
        own.status = Status::Current;
        own.decided_by = None;
        own.certainty = Certainty::Certain;
    }
    if let Some(condition) = condition
        && condition.is_exact
        && fits(
            passage.text[from..to].to_lowercase().as_str(),
            &passage.text[..from].to_lowercase(),
            &condition,
        )
    {
        own.code_system = Some("ICD-10-CM".into());
        own.code = Some(condition.code.to_owned());
    }
    reader.take(at, from, to);
    reader.facts.push(own);
}

/// A code for what lasts does not fit what is called acute, nor the other way.
fn fits(written: &str, before: &str, condition: &dictionary::Condition) -> bool {
    let lead: Vec<&str> = before.split_whitespace().rev().take(2).collect();
    let says = |words: &[&str]| {
        words
            .iter()
            .any(|word| written.contains(word) || lead.contains(word))
    };
    let name = condition.name.to_lowercase();
    let acute = says(&["acute", "subacute"]) && !name.contains("acute");
    let chronic = says(&["chronic", "longstanding"]) && !name.contains("chronic");
    match condition.chronic {
        Some(true) => !acute,
        Some(false) => !chronic,
        None => !acute && !chronic,
    }
}
