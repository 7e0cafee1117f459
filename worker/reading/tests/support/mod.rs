//! Pages from lines of text, as a typewriter would set them: two spaces and more part cells.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use gristmill_reading::{Fact, FactKind, Page, Reading, Status, Word, read};
use serde_json::Value;

const COLUMNS: f32 = 100.0;
const LINES: f32 = 60.0;

/// A page of these lines.
pub fn page(text: &str) -> Page {
    page_of(text, None)
}

/// A page whose words were read with this confidence.
pub fn page_of(text: &str, confidence: Option<f32>) -> Page {
    let mut words = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let top = row as f32 / LINES;
        let mut column = 0;
        for word in line.split(' ') {
            let width = word.chars().count();
            if width > 0 {
                words.push(Word {
                    text: word.to_owned(),
                    place: [
                        column as f32 / COLUMNS,
                        top,
                        (column + width) as f32 / COLUMNS,
                        top + 0.8 / LINES,
                    ],
                    confidence,
                    line: Some(row as u32),
                });
            }
            column += width + 1;
        }
    }
    Page::new(1, "plain", COLUMNS, 2.0 * LINES, words)
}

pub fn reading(text: &str) -> Reading {
    read(&[page(text)])
}

/// The facts of one kind, each in a line of its own: see `shown`.
pub fn facts(text: &str, kind: FactKind) -> Vec<String> {
    let mut found: Vec<String> = reading(text)
        .facts
        .iter()
        .filter(|fact| fact.kind == kind)
        .map(shown)
        .collect();
    found.sort();
    found
}

/// Each case: a text, and its facts of this kind parted by " | ".
pub fn check(kind: FactKind, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, wanted) in cases {
        let mut wanted: Vec<&str> = wanted.split(" | ").filter(|one| !one.is_empty()).collect();
        wanted.sort_unstable();
        let found = facts(text, kind);
        if found != wanted {
            wrong.push(format!(
                "{text}\n    wanted {wanted:?}\n    found  {found:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

fn part(fact: &Fact, key: &str) -> String {
    match fact.value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// A fact in one line: name, what is essential of its value, and its status where it is not current.
pub fn shown(fact: &Fact) -> String {
    let of = |key: &str| part(fact, key);
    let value = match fact.kind {
        FactKind::Lab => {
            let range = match (of("low"), of("high")) {
                (low, high) if low.is_empty() && high.is_empty() => String::new(),
                (low, high) if low.is_empty() => format!("<{high}"),
                (low, high) if high.is_empty() => format!(">{low}"),
                (low, high) => format!("{low}-{high}"),
            };
            format!(
                "{}{} {} {range} {}",
                of("comparator"),
                of("value"),
                of("unit"),
                of("abnormal")
            )
        }
        FactKind::Medication => {
            let needed = if fact.value.contains_key("as_needed") {
                "prn"
            } else {
                ""
            };
            let before = if of("previous").is_empty() {
                String::new()
            } else {
                format!("before {}", of("previous"))
            };
            format!(
                "{} {} {} {needed} {before}",
                of("dose"),
                of("unit"),
                of("frequency")
            )
        }
        FactKind::Patient => format!("{} {} {}", of("birth_date"), of("sex"), of("record_number")),
        FactKind::Provider => of("role"),
        FactKind::Allergy => format!("{} {}", of("reaction"), of("severity")),
        FactKind::VitalSign if fact.value.contains_key("systolic") => {
            format!("{}/{} {}", of("systolic"), of("diastolic"), of("unit"))
        }
        FactKind::VitalSign => format!("{} {}", of("value"), of("unit")),
        FactKind::Appointment => format!("{} {} {}", of("date"), of("time"), of("with")),
        _ => of("date"),
    };
    let status = if fact.status == Status::Current {
        String::new()
    } else {
        format!("[{}]", status_word(fact.status))
    };
    let whole = format!("{} {value} {status}", fact.name);
    whole.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn status_word(status: Status) -> String {
    serde_json::to_value(status)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

/// As a bad scan gives it: letters for digits, and no space between a number and its unit.
pub fn noisy(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let is_number = |letters: &[char], at: usize| {
        let before = at > 0 && (letters[at - 1].is_ascii_digit() || letters[at - 1] == '.');
        let after = at + 1 < letters.len() && letters[at + 1].is_ascii_digit();
        before || after
    };
    for at in 0..letters.len() {
        if letters[at] == '0'
            && is_number(&letters, at)
            && at > 0
            && letters[at - 1].is_ascii_digit()
        {
            letters[at] = 'O';
        }
    }
    letters.into_iter().collect()
}

/// The reasons of all doubts.
pub fn doubts(text: &str) -> Vec<String> {
    reading(text)
        .doubts
        .iter()
        .map(|doubt| format!("{}: {}", doubt.reason, doubt.text))
        .collect()
}
