//! Text out of whatever a field holds, fit to be set.

use serde_json::{Map, Value};

use crate::clean::takes_no_room;

/// A run of letters without a place to break would leave the page; a zero-width space lets it.
pub(crate) const LONGEST_RUN: usize = 48;

pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => breakable(text.trim()).into_some(),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("✓".to_owned()),
        _ => None,
    }
}

pub(crate) fn first(of: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| {
        text(
            of.as_object()
                .and_then(|fields: &Map<_, _>| fields.get(*key))?,
        )
    })
}

pub(crate) fn joined(of: &Value, keys: &[&str]) -> String {
    let parts: Vec<_> = keys.iter().filter_map(|key| first(of, &[key])).collect();
    parts.join(", ")
}

pub(crate) fn lines(list: &Value) -> Box<dyn Iterator<Item = String> + '_> {
    match list {
        Value::Array(list) => Box::new(list.iter().filter_map(text)),
        single => Box::new(text(single).into_iter()),
    }
}

pub(crate) fn paragraphs(content: &Value) -> Vec<String> {
    let split = |text: String| {
        let paragraphs = text.split("\n\n").map(|part| part.trim().to_owned());
        paragraphs
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
    };
    lines(content).flat_map(split).collect()
}

pub(crate) fn breakable(text: &str) -> String {
    let mut run = 0;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        // What no font can show: a PDF must not carry it either.
        if letter.is_control() && letter != '\n' && letter != '\t' {
            continue;
        }
        if letter.is_whitespace() {
            run = 0;
        } else if !takes_no_room(letter) {
            run += 1;
            // Only before a letter, and never inside an emoji of several parts: marks stay with what they stand on.
            if run >= LONGEST_RUN && run % 16 == 0 && !out.ends_with('\u{200d}') {
                out.push('\u{200b}');
            }
        }
        out.push(letter);
    }
    out
}

pub(crate) trait IntoSome {
    fn into_some(self) -> Option<String>;
}

impl IntoSome for String {
    fn into_some(self) -> Option<String> {
        (!self.is_empty()).then_some(self)
    }
}
