//! Medicines: a name that is known or stands before a dose, and how much, how often and how long.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::dictionary::MEDICATIONS;
use super::near;

/// What belongs to a medicine stands within so many bytes behind its name.
const REACH: usize = 220;

macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}
pattern!(WORD, r"[A-Za-z][A-Za-z\-]{3,}");
pattern!(
    DOSE,
    r"(?i)^[\s,]*(?:\w+\s+)?(?P<dose>\d+(?:\.\d+)?)\s*(?P<unit>mg|mcg|ug|µg|g|ml|units?|iu)\b"
);
pattern!(
    EVERY,
    r"(?i)every\s+(\d+)\s*(?:-\s*\d+\s*)?hours?|\bq\s?(\d+)\s?h\b"
);
pattern!(DAYS, r"(?i)for\s+(\d+)\s+days?");
pattern!(
    ROUTE,
    r"(?i)\b(by mouth|orally|inhaled|subcutaneous(?:ly)?|intravenous(?:ly)?|topical(?:ly)?|po|iv)\b"
);
pattern!(QUANTITY, r"(?i)(?:quantity|qty)\W{0,3}(\d+)");
pattern!(REFILLS, r"(?i)refills?\W{0,3}(\d+)");

/// A medicine that a text speaks of.
pub(super) struct Found {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) name: String,
    pub(super) detail: Map<String, Value>,
    pub(super) confidence: f32,
}

/// All medicines of a text, in its order.
pub(super) fn find(text: &str) -> Vec<Found> {
    let Some(words) = WORD.as_ref() else {
        return Vec::new();
    };
    let mut names: Vec<(usize, usize, String, Option<&str>, f32)> = Vec::new();
    for word in words.find_iter(text) {
        let lower = word.as_str().to_lowercase();
        let dosed = dose(&text[word.end()..]).is_some();
        let exact = MEDICATIONS.iter().find(|(name, _)| *name == lower);
        // Only before a dose is a misread or an unknown word taken for a medicine.
        let known = exact.or_else(|| {
            if dosed {
                MEDICATIONS.iter().find(|(name, _)| near(name, &lower))
            } else {
                None
            }
        });
        match known {
            Some((name, code)) => names.push((
                word.start(),
                word.end(),
                (*name).to_owned(),
                *code,
                if exact.is_some() { 0.95 } else { 0.75 },
            )),
            None if dosed && is_name(word.as_str()) => {
                names.push((word.start(), word.end(), lower, None, 0.5))
            }
            None => {}
        }
    }
    let ends: Vec<usize> = names
        .iter()
        .skip(1)
        .map(|name| name.0)
        .chain([text.len()])
        .collect();
    let found = names
        .into_iter()
        .zip(ends)
        .map(|((from, end, name, code, confidence), next)| {
            let to = floor(text, next.min(end + REACH));
            let mut detail = describe(&text[end..to]);
            if let Some(code) = code {
                detail.insert("code_system".into(), json!("RxNorm"));
                detail.insert("code".into(), json!(code));
            }
            Found {
                from,
                to: end,
                name,
                detail,
                confidence,
            }
        });
    found.collect()
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

// A word that begins a line of a list of medicines, not "over 20 mg" or "Take 10 ml".
fn is_name(word: &str) -> bool {
    const PLAIN: &[&str] = &[
        "take", "dose", "about", "over", "with", "tablet", "tablets", "capsule", "total", "give",
        "only", "least", "most", "than", "glucose",
    ];
    word.len() >= 6
        && word.starts_with(char::is_uppercase)
        && !PLAIN.contains(&word.to_lowercase().as_str())
}

fn dose(rest: &str) -> Option<(f64, String)> {
    let found = DOSE.as_ref()?.captures(rest)?;
    let amount = found.name("dose")?.as_str().parse().ok()?;
    let unit = match found.name("unit")?.as_str().to_lowercase().as_str() {
        "ug" | "µg" | "mcg" => "mcg".to_owned(),
        "ml" => "mL".to_owned(),
        "iu" | "unit" | "units" => "units".to_owned(),
        unit => unit.to_owned(),
    };
    // "90 mg/dL" is a laboratory value.
    let after = &rest[found.get(0)?.end()..];
    (!after.starts_with('/')).then_some((amount, unit))
}

fn describe(rest: &str) -> Map<String, Value> {
    let mut detail = Map::new();
    if let Some((amount, unit)) = dose(rest) {
        detail.insert("dose".into(), json!(amount));
        detail.insert("unit".into(), json!(unit));
    }
    if let Some(frequency) = frequency(rest) {
        detail.insert("frequency".into(), json!(frequency));
    }
    let lower = rest.to_lowercase();
    if lower.contains("as needed")
        || lower
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| word == "prn")
    {
        detail.insert("as_needed".into(), json!(true));
    }
    let number = |pattern: &LazyLock<Option<Regex>>| {
        pattern
            .as_ref()?
            .captures(rest)?
            .get(1)?
            .as_str()
            .parse::<u32>()
            .ok()
    };
    for (name, value) in [
        ("days", number(&DAYS)),
        ("quantity", number(&QUANTITY)),
        ("refills", number(&REFILLS)),
    ] {
        if let Some(value) = value {
            detail.insert(name.into(), json!(value));
        }
    }
    if let Some(route) = ROUTE.as_ref().and_then(|route| route.find(rest)) {
        let route = match route.as_str().to_lowercase().as_str() {
            "po" | "orally" => "by mouth".to_owned(),
            "iv" => "intravenous".to_owned(),
            route => route.to_owned(),
        };
        detail.insert("route".into(), json!(route));
    }
    detail
}

fn frequency(rest: &str) -> Option<String> {
    let flat = rest
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let words: Vec<&str> = flat
        .split(|letter: char| !letter.is_alphanumeric())
        .collect();
    let has = |word: &str| words.contains(&word);
    if let Some(hours) = EVERY.as_ref().and_then(|every| every.captures(&flat)) {
        let hours = hours.get(1).or_else(|| hours.get(2))?;
        return Some(format!("every {} hours", hours.as_str()));
    }
    let said = |phrases: &[&str]| phrases.iter().any(|phrase| flat.contains(phrase));
    let frequency = if said(&[
        "three times daily",
        "three times a day",
        "3 times daily",
        "3 times a day",
    ]) || has("tid")
    {
        "three times daily"
    } else if said(&["four times daily", "four times a day", "4 times a day"]) || has("qid") {
        "four times daily"
    } else if said(&[
        "twice daily",
        "twice a day",
        "two times a day",
        "2 times a day",
        "2 times daily",
    ]) || has("bid")
    {
        "twice daily"
    } else if said(&["at bedtime", "nightly", "every night"]) || has("qhs") {
        "at bedtime"
    } else if said(&["once weekly", "once a week", "every week", "weekly"]) {
        "once weekly"
    } else if said(&[
        "once daily",
        "once a day",
        "every day",
        "every morning",
        "daily",
    ]) || has("qd")
    {
        "once daily"
    } else {
        return None;
    };
    Some(frequency.to_owned())
}

#[cfg(test)]
mod tests;
