//! Conditions by their names, unless they are denied or another's.

use serde_json::json;

use super::super::model::{Entity, EntityKind};
use super::entities::entity;
use super::flow::Flow;
use super::{dictionary, with};

pub(super) fn find(flow: &Flow<'_>, found: &mut Vec<Entity>) {
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
