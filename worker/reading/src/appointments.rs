//! When the patient comes back, and to whom.

use std::sync::LazyLock;

use gristmill_dictionary::Section;
use regex::Regex;
use serde_json::json;

use crate::model::{FactKind, Status};
use crate::reader::{Reader, fact};
use crate::{context, dates, names, pattern};

static COMING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:follow[- ]?up|appointment|appt|next visit|return(?:s|ing)? (?:visit|to)|to be (?:seen|reviewed)|(?:will )?(?:be )?(?:seen|reviewed?) (?:again |in|by|on|at)|review(?:ed)? (?:in|on|with)|review appointment|outpatient|see (?:dr|your|the|prof)|booked|scheduled|next (?:review|appointment|clinic)|recheck|revisit|come back|due back)\b",
    )
});
static PAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:was (?:seen|reviewed)|attended|last (?:seen|visit|review|appointment)|missed|did not attend|previous)\b",
    )
});
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(\d{1,2})(?:[:.h](\d{2}))\s*(a\.?m|p\.?m)?\b|\b(\d{1,2})\s*(a\.?m|p\.?m)\b")
});
static CLINIC: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b((?:[a-z]+[ -]){1,3}?clinic)\b"));

pub(crate) fn find(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        let text = item.text().to_owned();
        if item.is_heading {
            continue;
        }
        for dated in dates::dates(&text, reader.order) {
            if reader.is_taken(at, dated.from, dated.to) {
                continue;
            }
            one(reader, at, &text, dated);
        }
    }
}

fn one(reader: &mut Reader, at: usize, text: &str, dated: dates::Dated) {
    let item = &reader.items[at];
    let passage = &item.passage;
    let range = context::sentence(passage, dated.from);
    let (start, end) = match (
        passage.tokens.get(range.start),
        passage.tokens.get(range.end.saturating_sub(1)),
    ) {
        (Some(first), Some(last)) => (first.0, last.1.max(dated.to)),
        _ => (0, text.len()),
    };
    let sentence = &text[start..end];
    let heading = item
        .heading()
        .map(|heading| heading.text)
        .unwrap_or_default();
    let is_coming = COMING.is_match(sentence) || COMING.is_match(&heading);
    if !is_coming && (item.section() != Section::FollowUp || PAST.is_match(sentence)) {
        return;
    }
    let by = COMING
        .find(sentence)
        .map(|found| passage.decision(start + found.start(), start + found.end()))
        .or(item.heading());
    let name = CLINIC
        .captures(sentence)
        .and_then(|found| clinic(&found[1]))
        .unwrap_or_else(|| "follow-up".into());
    let mut own = fact(FactKind::Appointment, passage, start, end, name, 0.9);
    own.status = Status::Planned;
    own.decided_by = by;
    own.value
        .insert("date".into(), json!(dated.date.to_string()));
    let around = [&text[start..dated.from], " ", &text[dated.to..end]].concat();
    if let Some(time) = TIME.captures(&around).and_then(|found| time(&found)) {
        own.value.insert("time".into(), json!(time));
    }
    let with = names::clinicians(sentence);
    if let Some(with) = with.first() {
        own.value.insert("with".into(), json!(with.name));
    }
    if dated.is_ambiguous {
        own.doubts
            .push(reader.doubt(at, dated.from, dated.to, "date_is_ambiguous"));
    }
    reader.take(at, dated.from, dated.to);
    reader.facts.push(own);
}

// "Outpatient review in the respiratory clinic" names the respiratory clinic.
fn clinic(found: &str) -> Option<String> {
    let lower = found.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let first = words
        .iter()
        .rposition(|word| {
            matches!(
                *word,
                "the" | "our" | "in" | "at" | "to" | "with" | "my" | "your" | "of" | "on" | "this"
            )
        })
        .map_or(0, |at| at + 1);
    let name = words[first..].join(" ");
    (name != "clinic").then_some(name)
}

fn time(found: &regex::Captures<'_>) -> Option<String> {
    let part = |one: usize, other: usize| {
        found
            .get(one)
            .or(found.get(other))
            .map(|part| part.as_str())
    };
    let hour: u32 = part(1, 4)?.parse().ok()?;
    let minute: u32 = found
        .get(2)
        .map_or(Some(0), |part| part.as_str().parse().ok())?;
    let half = part(3, 5).map(str::to_lowercase);
    let hour = match half.as_deref() {
        Some(half) if half.starts_with('p') && hour < 12 => hour + 12,
        Some(half) if half.starts_with('a') && hour == 12 => 0,
        _ => hour,
    };
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}
