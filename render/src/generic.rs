//! What no template has a place for: it is set all the same, under the name that it has. Nothing that a person wrote is dropped silently.

use serde_json::{Map, Value, json};

use crate::text::{IntoSome, breakable, first, lines, paragraphs, text};

/// Fields that are for a program, or a picture, and nothing to read. Those that begin with `_` or `$` are such, too.
const SILENT: [&str; 5] = ["id", "uuid", "visible", "hidden", "image"];

/// The fields of an object that no one has used, with their labels. What is empty is not there.
pub(crate) fn left<'a>(of: &'a Value, used: &[&str]) -> Vec<(String, &'a Value)> {
    let fields = of.as_object().into_iter().flatten();
    let left = fields.filter(|(key, value)| {
        !used.contains(&key.as_str())
            && !SILENT.contains(&key.as_str())
            && !key.starts_with(['_', '$'])
            && !is_empty(value)
    });
    left.map(|(key, value)| (label(key), value)).collect()
}

/// The same, each in a line.
pub(crate) fn left_lines(of: &Value, used: &[&str]) -> Vec<String> {
    let left = left(of, used).into_iter();
    left.map(|(label, value)| format!("{label}: {}", spelled(value)))
        .collect()
}

/// Whether a field of texts holds nothing else, so that all of it is set where texts are.
pub(crate) fn is_texts(value: &Value) -> bool {
    match value {
        Value::Array(list) => list
            .iter()
            .all(|item| text(item).is_some() || is_empty(item)),
        single => text(single).is_some(),
    }
}

/// Everything in a value, in one line.
pub(crate) fn spelled(value: &Value) -> String {
    let parts: Vec<_> = match value {
        Value::Array(list) => list
            .iter()
            .map(spelled)
            .filter(|part| !part.is_empty())
            .collect(),
        Value::Object(_) => left_lines(value, &[]),
        Value::Bool(false) => vec!["✗".to_owned()],
        single => text(single).into_iter().collect(),
    };
    parts.join(if value.is_object() { "; " } else { ", " })
}

/// Whether there is nothing to read in it.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.iter().all(is_empty),
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What a list holds, also where somebody wrote one entry, one text, or a map of them instead.
pub(crate) fn listed(list: &Value, known: &[&str]) -> Vec<Value> {
    match list {
        Value::Array(list) => list.clone(),
        Value::Object(fields) if known.iter().any(|key| fields.contains_key(*key)) => {
            vec![list.clone()]
        }
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !is_empty(value))
            .map(named)
            .collect(),
        single => text(single).map(Value::String).into_iter().collect(),
    }
}

// An entry of a map, with its key as its title. An object that has a title has it beside the key.
fn named((key, value): (&String, &Value)) -> Value {
    let mut entry = match value {
        Value::Object(fields) => fields.clone(),
        texts if is_texts(texts) => Map::from_iter([("text".to_owned(), texts.clone())]),
        other => Map::from_iter([("text".to_owned(), Value::String(spelled(other)))]),
    };
    let own = first(&Value::Object(entry.clone()), &["title", "name"]);
    entry.remove("title");
    entry.remove("name");
    let title = own.map_or_else(|| label(key), |own| format!("{}: {own}", label(key)));
    entry.insert("title".to_owned(), Value::String(title));
    Value::Object(entry)
}

/// A name as a person would write it: `volunteerWork`, `volunteer_work` and `volunteer-work` are "Volunteer work".
pub(crate) fn label(key: &str) -> String {
    let mut words = String::with_capacity(key.len());
    let mut last = ' ';
    for letter in key.chars() {
        let is_gap = matches!(letter, '_' | '-' | '.') || letter.is_whitespace();
        if (is_gap || (letter.is_uppercase() && last.is_lowercase()))
            && !words.is_empty()
            && !words.ends_with(' ')
        {
            words.push(' ');
        }
        if !is_gap {
            let begins_word = letter.is_uppercase() && last.is_lowercase();
            match (words.is_empty(), begins_word) {
                (true, _) => words.extend(letter.to_uppercase()),
                (false, true) => words.extend(letter.to_lowercase()),
                (false, false) => words.push(letter),
            }
        }
        last = letter;
    }
    breakable(words.trim())
        .into_some()
        .unwrap_or_else(|| "…".to_owned())
}

/// A section of short words: each with a name, and what belongs to it.
pub(crate) fn is_tags(value: &Value) -> bool {
    let is_short =
        |value: &Value| is_texts(value) && lines(value).all(|line| line.chars().count() < 80);
    let fields = value.as_object();
    fields.is_some_and(|fields| {
        fields
            .values()
            .all(|value| is_empty(value) || is_short(value))
    })
}

/// The tags of such a section.
pub(crate) fn tags(value: &Value) -> Vec<Value> {
    let tags = left(value, &[]).into_iter();
    tags.map(|(name, words)| json!({"name": name, "items": lines(words).collect::<Vec<_>>()}))
        .collect()
}

/// Paragraphs of anything.
pub(crate) fn prose(value: &Value) -> Vec<String> {
    if is_texts(value) {
        return paragraphs(value);
    }
    spelled(value).into_some().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_a_name_however_its_words_are_joined() {
        for key in [
            "volunteerWork",
            "volunteer_work",
            "volunteer-work",
            "Volunteer work",
        ] {
            assert_eq!(label(key), "Volunteer work");
        }
        assert_eq!(label("GPA"), "GPA");
        assert_eq!(label("دورات"), "دورات");
        assert_eq!(label("__"), "…");
    }

    #[test]
    fn everything_in_a_value_is_spelled() {
        let value =
            json!({"years": [2001, {"from": "May", "open": false}], "note": "x", "none": null});
        assert_eq!(spelled(&value), "Note: x; Years: 2001, From: May; Open: ✗");
    }
}
