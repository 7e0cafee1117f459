//! What the patient must not be given, and what it did; or that nothing is known.

use std::sync::LazyLock;

use gristmill_dictionary::{self as dictionary, Section};
use regex::Regex;
use serde_json::json;

use crate::context;
use crate::lines::Item;
use crate::model::{FactKind, Status};
use crate::pattern;
use crate::reader::{Reader, decide, fact};
use crate::sections::NO_ALLERGIES;

static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:none|nil|none known|nil known|no known|none recorded|none reported|no|negative|not known|nil recorded|no known drug|denies)\W*$",
    )
});
static PROSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:allerg(?:ic|y|ies)(?: reaction)?|intoleran(?:t|ce)|hypersensitiv(?:e|ity)|anaphylax(?:is|ed)|reacts?|reacted)\s+(?:to|of)\s+(?:the\s+)?|\ballergy\s*:\s*",
    )
});
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\d\s?(?:mg|mcg|g|ml|units?|puffs?)\b|^\W*(?:sig|disp|take|inhale)\b|\b(?:inhaler|tablets?|capsules?)\b",
    )
});
static SEVERITY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(mild|moderate|severe|life[- ]threatening)\b"));

pub(crate) fn find(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        let text = item.text().to_owned();
        if let Some(found) = NO_ALLERGIES.find(&text) {
            none_known(reader, at, found.start(), found.end());
            continue;
        }
        if item.section() == Section::Allergies && !item.is_heading && !is_order(item) {
            if ALONE.is_match(&text[item.body..]) {
                none_known(reader, at, item.body, text.len());
            } else if item
                .cells
                .iter()
                .filter(|cell| cell.1 > item.body + 1)
                .count()
                >= 2
            {
                row(reader, at);
            } else {
                listed(reader, at);
            }
            continue;
        }
        prose(reader, at, &text);
    }
}

/// A medicine with a strength, or how it is taken: whatever the heading above says, it is no allergy.
fn is_order(item: &Item) -> bool {
    ORDER.is_match(item.text()) && reactions(item, 0, item.text().len()).is_empty()
}

fn none_known(reader: &mut Reader, at: usize, from: usize, to: usize) {
    let mut own = fact(
        FactKind::Allergy,
        &reader.items[at].passage,
        from,
        to,
        "no known allergies".into(),
        0.95,
    );
    let passage = &reader.items[at].passage;
    own.decided_by = Some(passage.decision(from, to));
    reader.take(at, from, to);
    reader.facts.push(own);
}

/// An allergen that begins at a token: its name, and where it ends.
fn allergen(item: &Item, token: usize, to: usize) -> Option<(String, usize)> {
    let passage = &item.passage;
    let most = passage.unbroken(token, 8);
    let ahead: Vec<&str> = passage.ahead(token, to).into_iter().take(most).collect();
    let own = dictionary::allergen(&ahead).map(|(count, name)| (count, name.to_owned()));
    let drug = dictionary::drug(&ahead).map(|(count, drug)| (count, drug.name.to_owned()));
    let (count, name) = match (own, drug) {
        (Some(own), Some(drug)) => {
            if drug.0 > own.0 {
                drug
            } else {
                own
            }
        }
        (own, drug) => own.or(drug)?,
    };
    Some((name, passage.tokens[token + count - 1].1))
}

fn reactions(item: &Item, from: usize, to: usize) -> Vec<(String, usize, usize)> {
    let passage = &item.passage;
    let mut found = Vec::new();
    let mut token = passage.token_from(from);
    while token < passage.tokens.len() && passage.tokens[token].1 <= to {
        let most = passage.unbroken(token, 8);
        let ahead: Vec<&str> = passage.ahead(token, to).into_iter().take(most).collect();
        match dictionary::reaction(&ahead) {
            Some((count, name)) => {
                found.push((
                    name.to_owned(),
                    passage.tokens[token].0,
                    passage.tokens[token + count - 1].1,
                ));
                token += count;
            }
            None => token += 1,
        }
    }
    found
}

fn push(
    reader: &mut Reader,
    at: usize,
    name: String,
    from: usize,
    to: usize,
    rest: (usize, usize),
) {
    let item = &reader.items[at];
    let passage = &item.passage;
    let text = item.text();
    let reactions = reactions(item, rest.0, rest.1);
    let mut own = fact(FactKind::Allergy, passage, from, to, name, 0.93);
    if let Some((first, ..)) = reactions.first() {
        let all: Vec<&str> = reactions
            .iter()
            .map(|reaction| reaction.0.as_str())
            .collect();
        let reaction = if all.len() == 1 {
            first.clone()
        } else {
            all.join(", ")
        };
        own.value.insert("reaction".into(), json!(reaction));
    } else {
        let written = text[rest.0..rest.1].trim_matches(|c: char| !c.is_alphanumeric());
        let written = written.strip_prefix("causes ").unwrap_or(written);
        let is_short = (1..=4).contains(&written.split_whitespace().count());
        if is_short
            && item.section() == Section::Allergies
            && !SEVERITY.is_match(written)
            && !written.chars().any(|c| c.is_ascii_digit())
        {
            own.value
                .insert("reaction".into(), json!(written.to_lowercase()));
        }
    }
    if let Some(found) = SEVERITY.find(&text[rest.0..rest.1]) {
        own.value
            .insert("severity".into(), json!(found.as_str().to_lowercase()));
    }
    let judged = context::judge(passage, from, to);
    if matches!(
        judged.status,
        Status::RuledOut | Status::Family | Status::Suspected
    ) {
        own.certainty = judged.certainty;
        decide(&mut own, judged.status, judged.by);
    }
    if judged.is_hypothetical {
        return;
    }
    reader.take(
        at,
        from,
        to.max(
            reactions
                .iter()
                .map(|reaction| reaction.2)
                .max()
                .unwrap_or(0),
        ),
    );
    reader.facts.push(own);
}

/// The first allergen of a row of a table; the other cells say what it did.
fn row(reader: &mut Reader, at: usize) {
    let item = &reader.items[at];
    let (from, to) = item.cells[0];
    let from = from.max(item.body);
    let first = item.passage.token_from(from);
    let known = (first..first + 3).find_map(|token| {
        (token < item.passage.tokens.len())
            .then(|| allergen(item, token, to))
            .flatten()
            .map(|found| (token, found))
    });
    if let Some((token, (name, end))) = known {
        let start = item.passage.tokens[token].0;
        push(reader, at, name, start, end, (end, item.text().len()));
        return;
    }
    let second = item.cells[1];
    let name = item.text()[from.min(to)..to].trim().to_lowercase();
    if from < to
        && !reactions(item, second.0, item.text().len()).is_empty()
        && !matches!(
            name.as_str(),
            "allergen" | "substance" | "drug" | "agent" | "allergy"
        )
    {
        push(reader, at, name, from, to, (second.0, item.text().len()));
    }
}

/// "Penicillin (rash), latex - hives; sulfa": entries end at commas that stand outside of brackets.
fn listed(reader: &mut Reader, at: usize) {
    let item = &reader.items[at];
    let passage = item.passage.clone();
    // Name, where it stands, and where what it did ends: an entry of reactions alone goes on with the last allergen.
    let mut found: Vec<(String, usize, usize, usize)> = Vec::new();
    for (from, to) in entries(&passage.text, item.body) {
        let own = known(item, from, to);
        if own.is_empty() {
            match (unknown(item, from, to), found.last_mut()) {
                (Some(own), _) => found.push(own),
                (None, Some(last)) if !reactions(item, from, to).is_empty() => last.3 = to,
                _ => {}
            }
        }
        found.extend(own);
    }
    for (name, from, to, end) in found {
        push(reader, at, name, from, to, (to, end));
    }
}

fn known(item: &Item, from: usize, to: usize) -> Vec<(String, usize, usize, usize)> {
    let passage = &item.passage;
    let mut token = passage.token_from(from);
    let mut found = Vec::new();
    while token < passage.tokens.len() && passage.tokens[token].1 <= to {
        match allergen(item, token, to) {
            Some((name, end)) => {
                found.push((name, passage.tokens[token].0, end, to));
                token = passage.token_from(end).max(token + 1);
            }
            None => token += 1,
        }
    }
    found
}

fn entries(text: &str, body: usize) -> Vec<(usize, usize)> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0i32, body);
    for (at, letter) in text.char_indices().filter(|(at, _)| *at >= body) {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' | ';' | '\u{2022}' if depth <= 0 => {
                found.push((from, at));
                from = at + 1;
            }
            '.' if depth <= 0 && text[at + 1..].starts_with(' ') => {
                found.push((from, at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push((from, text.len()));
    found
}

// A substance that no list has, with a reaction that is known: "Tree sap - rash".
fn unknown(item: &Item, from: usize, to: usize) -> Option<(String, usize, usize, usize)> {
    let text = item.text();
    let start = reactions(item, from, to).first()?.1;
    let lead = &text[from..start];
    let name = lead.trim_matches(|c: char| !c.is_alphanumeric());
    let is_name = name.len() >= 3
        && name.split_whitespace().count() <= 3
        && !name.chars().any(|c| c.is_ascii_digit());
    let begin = from + lead.find(name)?;
    let is_told = SEVERITY.is_match(name)
        || matches!(
            name.to_lowercase().as_str(),
            "and" | "causes" | "with" | "severe" | "mild"
        );
    (is_name && !is_told).then(|| (name.to_lowercase(), begin, begin + name.len(), to))
}

fn prose(reader: &mut Reader, at: usize, text: &str) {
    for found in PROSE.find_iter(text) {
        let mut token = reader.items[at].passage.token_from(found.end());
        let mut last = found.end();
        // "allergic to penicillin, latex and nuts": the list goes on as long as allergens follow.
        while token < reader.items[at].passage.tokens.len() {
            let item = &reader.items[at];
            let start = item.passage.tokens[token].0;
            let joint = text[last..start].trim();
            if start - last > 12
                || !matches!(
                    joint.trim_matches(','),
                    "" | "and" | "&" | "or" | "/" | "and to"
                )
            {
                break;
            }
            if matches!(
                item.passage.token(token).to_lowercase().as_str(),
                "and" | "or" | "to"
            ) {
                token += 1;
                continue;
            }
            let Some((name, end)) = allergen(item, token, text.len()) else {
                break;
            };
            let sentence = context::sentence(&item.passage, start);
            let stop = item.passage.tokens[sentence.end - 1].1.max(end);
            push(reader, at, name, start, end, (end, stop));
            (last, token) = (end, reader.items[at].passage.token_from(end));
        }
    }
    let item = &reader.items[at];
    let mut backward = Vec::new();
    for token in 0..item.passage.tokens.len().saturating_sub(1) {
        if let Some((name, end)) = allergen(item, token, text.len()) {
            let rest = text[end..].trim_start().to_lowercase();
            if (rest.starts_with("allergy") || rest.starts_with("allergic"))
                && !reader.is_taken(at, item.passage.tokens[token].0, end)
            {
                backward.push((name, item.passage.tokens[token].0, end));
            }
        }
    }
    for (name, from, to) in backward {
        let sentence = context::sentence(&reader.items[at].passage, from);
        let stop = reader.items[at].passage.tokens[sentence.end - 1].1.max(to);
        push(reader, at, name, from, to, (to, stop));
    }
}
