//! What was done to the patient, or shall be, with its date.

use std::sync::LazyLock;

use gristmill_dictionary::{self as dictionary, Section};
use regex::Regex;
use serde_json::json;

use crate::lines::Item;
use crate::model::{FactKind, Status};
use crate::passage::Passage;
use crate::reader::{Reader, fact};
use crate::{context, dates, pattern, sections};

static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:not (?:been )?(?:performed|done|indicated|required)|declined|cancelled|canceled|refused)\b",
    )
});
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:was|were|has been) (?:done|performed|carried out|completed|undertaken|obtained)\b|\b(?:showed|demonstrated|revealed|underwent)\b",
    )
});
static COMING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:scheduled|planned|booked|arranged|recommend(?:ed)?|to be (?:done|performed|arranged)|referred for|awaiting|await|will (?:have|undergo|need)|plan for|plan:|listed for|due for|consider|request(?:ed|ing)?|please (?:arrange|organise|organize)|repeat|suggest(?:ed)?)\b",
    )
});
static GONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:previous|prior|past|status post|s/p|history of|had (?:a|an)|years ago|in (?:19|20)\d\d)\b",
    )
});

/// Whether a procedure is named between two places.
pub(crate) fn is_one(passage: &Passage, from: usize, to: usize) -> bool {
    let first = passage.token_from(from);
    (first..passage.tokens.len())
        .take_while(|token| passage.tokens[*token].0 < to)
        .any(|token| dictionary::procedure(&passage.ahead(token, to)).is_some())
}

pub(crate) fn find(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        let is_elsewhere = matches!(item.section(), Section::Immunisations | Section::Patient)
            || sections::is_medication(item.section());
        if item.is_heading || is_elsewhere {
            continue;
        }
        let had = reader.facts.len();
        let passage = item.passage.clone();
        let mut token = passage.token_from(item.body);
        while token < passage.tokens.len() {
            let most = passage.unbroken(token, 8);
            let ahead: Vec<&str> = passage
                .ahead(token, passage.text.len())
                .into_iter()
                .take(most)
                .collect();
            match dictionary::procedure(&ahead) {
                Some((count, name)) => {
                    let (from, to) = (passage.tokens[token].0, passage.tokens[token + count - 1].1);
                    // "D/C" is to stop something far more often than it is a procedure.
                    let is_sign = passage.text[from..to].contains('/');
                    if !reader.is_taken(at, from, to)
                        && !is_sign
                        && !is_place(&passage, token + count)
                    {
                        push(reader, at, from, to, name.to_owned(), 0.9);
                    }
                    token += count;
                }
                None => token += 1,
            }
        }
        if reader.facts.len() == had {
            listed(reader, at);
        }
    }
}

// "Endoscopy unit" and "dialysis nurse" are places and people.
fn is_place(passage: &Passage, next: usize) -> bool {
    next < passage.tokens.len()
        && matches!(
            passage.token(next).to_lowercase().as_str(),
            "unit"
                | "department"
                | "clinic"
                | "nurse"
                | "centre"
                | "center"
                | "suite"
                | "ward"
                | "team"
                | "report"
                | "service"
                | "services"
                | "imaging"
                | "tech"
        )
}

/// Under "Procedure" an entry is one, whether a list of ours has its name or not.
fn listed(reader: &mut Reader, at: usize) {
    let item = &reader.items[at];
    let text = item.text()[item.body..].trim();
    let name = text
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .trim_end_matches(['.', ';', ',']);
    let count = name.split_whitespace().count();
    let is_short = (1..=7).contains(&count)
        && name.len() >= 5
        && item.passage.tokens.len() <= 8
        && item.cells.len() <= 1;
    let heading = item
        .heading()
        .map(|heading| heading.text.to_lowercase())
        .unwrap_or_default();
    let is_under = item.section() == Section::Procedures
        && (heading.contains("procedure")
            || heading.contains("operation")
            || heading.contains("surg"))
        && !heading.contains("description");
    let is_word = matches!(
        name.to_lowercase().as_str(),
        "none" | "nil" | "none performed" | "not applicable"
    );
    if !is_under || !is_short || is_word || name.chars().any(|c| c.is_ascii_digit() || c == ':') {
        return;
    }
    let from = item.body + item.text()[item.body..].find(name).unwrap_or(0);
    if !reader.is_taken(at, from, from + name.len()) {
        push(
            reader,
            at,
            from,
            from + name.len(),
            name.to_lowercase(),
            0.7,
        );
    }
}

fn status(item: &Item, from: usize, to: usize) -> (Status, Option<crate::model::Decision>) {
    let passage = &item.passage;
    let range = context::sentence(passage, from);
    let (start, end) = (
        passage.tokens[range.start].0,
        passage.tokens[range.end - 1].1.max(to),
    );
    let sentence = &passage.text[start..end];
    // "Was done at the request of": what has happened is not planned, whatever else the sentence says.
    if DONE.is_match(sentence) && !REFUSED.is_match(sentence) {
        return (Status::Current, None);
    }
    for (status, words) in [
        (Status::RuledOut, &*REFUSED),
        (Status::Planned, &*COMING),
        (Status::Historical, &*GONE),
    ] {
        if let Some(found) = words.find(sentence) {
            let by = passage.decision(start + found.start(), start + found.end());
            return (status, Some(by));
        }
    }
    let judged = context::judge(passage, from, to);
    if judged.is_hypothetical {
        return (Status::Planned, judged.by);
    }
    if matches!(
        judged.status,
        Status::RuledOut | Status::Planned | Status::Historical | Status::Family
    ) {
        return (judged.status, judged.by);
    }
    match item.section() {
        Section::Plan | Section::FollowUp => (Status::Planned, item.heading()),
        Section::PastHistory => (Status::Historical, item.heading()),
        Section::FamilyHistory => (Status::Family, item.heading()),
        _ => (Status::Current, None),
    }
}

fn push(reader: &mut Reader, at: usize, from: usize, to: usize, name: String, sure: f32) {
    let item = &reader.items[at];
    let (status, by) = status(item, from, to);
    let mut own = fact(FactKind::Procedure, &item.passage, from, to, name, sure);
    own.status = status;
    own.decided_by = by;
    let near = dates::dates(item.text(), reader.order);
    if let [dated] = near[..]
        && item.passage.tokens.len() < 30
    {
        own.value
            .insert("date".into(), json!(dated.date.to_string()));
        if dated.is_ambiguous {
            own.doubts
                .push(reader.doubt(at, dated.from, dated.to, "date_is_ambiguous"));
        }
    }
    reader.take(at, from, to);
    reader.facts.push(own);
}
