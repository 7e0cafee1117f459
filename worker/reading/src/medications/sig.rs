//! How a medicine is taken: dose, unit, frequency, route, form, days, quantity, and what the dose was before.

use std::sync::LazyLock;

use gristmill_dictionary as dictionary;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::labs::parse;
use crate::passage::Passage;
use crate::pattern;
use crate::reader::number;

const STRENGTHS: &str = r"(?:mg|mcg|\u{b5}g|\u{3bc}g|ug|micrograms?|milligrams?|g|gm|grams?|units?|iu|meq|mmol|%|mcg/h|mcg/hr)";
const COUNTS: &str = r"(?:puffs?|sprays?|drops?|actuations?|inhalations?|patch(?:es)?|suppositor(?:y|ies)|ml|tablets?|tabs?|capsules?|caps?|sachets?|vials?|lozenges?)";

static DOSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:^|[^\d.,/a-z-])(\d[\d,]*(?:\.\d+)?)(?:\s?([-/])\s?(\d[\d,]*(?:\.\d+)?))?(?:\s?(/)\s?(\d+(?:\.\d+)?))?\s?({STRENGTHS}|{COUNTS})(?:\s?/\s?(?:actuation|puff|inhalation|dose|ml|\d+ ?ml|spray|h|hr|hour|24 ?h(?:r|ours?)?)\b)?(?:[^a-z0-9]|$)"
    ))
});
/// Both parts with their unit: "24 mg/26 mg".
static TWICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:^|[^\d.])(\d+(?:\.\d+)?)\s?({STRENGTHS})\s?[-/+]\s?(\d+(?:\.\d+)?)\s?({STRENGTHS})(?:[^a-z]|$)"
    ))
});
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:was|were|previously|previous(?: dose)?|prior(?: dose)?|before|formerly|from|instead of|old dose|originally|used to be|had been|earlier)\b\s*(?:taking|on|dose)?\s*[:=]?\s*(\d[\d,]*(?:\.\d+)?(?:[-/]\d+(?:\.\d+)?)?)\s?(mg|mcg|\u{b5}g|\u{3bc}g|ug|micrograms?|milligrams?|g|grams?|units?|iu|meq|ml|puffs?)\b",
    )
});
static ARROW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(\d[\d,]*(?:\.\d+)?)\s?(mg|mcg|g|units?)?[^.;\d]{0,24}?(?:->|\u{2192}|=>|>>)\s*(\d)",
    )
});
static NEEDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:prn|p\.r\.n|pro re nata|(?:as|when|if|whenever) (?:needed|required|necessary)|as-needed|asneeded)\b",
    )
});
static DAYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\bfor|\bx|\u{d7}|\bcourse of|\bduration:?|\btimes)\s*(?:a further |another |a total of )?(\d{1,3})\s*(days?|d\b|weeks?|wks?|/7|/52|months?)|\b(\d{1,3})[ -]?(day|week)s?[ -](?:course|supply)",
    )
});
static QUANTITY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\bqty|\bquantity|\bdisp(?:ense)?|\bsupply|\bmitte|\bquant)\s*[.:]?\s*#?\s*(\d{1,4})|#\s?(\d{1,4})\b",
    )
});
static REFILLS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:refills?|repeats?|rpt|rf)\s*[:x=]?\s*(\d{1,2}|none|no|zero)\b")
});

/// A part of an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub(super) passage: &'a Passage,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Stretch<'_> {
    fn text(&self) -> &str {
        &self.passage.text[self.from..self.to]
    }
}

/// What was read of one medicine.
#[derive(Debug, Default)]
pub(super) struct Sig {
    pub(super) value: Map<String, Value>,
    /// Where the furthest part ends in the first stretch.
    pub(super) end: usize,
    pub(super) has_strength: bool,
    pub(super) is_changed: bool,
}

fn unit(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    match lower.as_str() {
        "mg" | "milligram" | "milligrams" => "mg",
        "mcg" | "ug" | "microgram" | "micrograms" | "\u{b5}g" | "\u{3bc}g" => "mcg",
        "mcg/h" | "mcg/hr" => "mcg/h",
        "g" | "gm" | "gram" | "grams" => "g",
        "unit" | "units" | "iu" => "units",
        "meq" => "mEq",
        "mmol" => "mmol",
        "%" => "%",
        "ml" => "mL",
        _ if lower.starts_with("puff")
            || lower.starts_with("actuation")
            || lower.starts_with("inhalation") =>
        {
            "puffs"
        }
        _ if lower.starts_with("spray") => "sprays",
        _ if lower.starts_with("drop") => "drops",
        _ if lower.starts_with("patch") => "patch",
        _ if lower.starts_with("suppos") => "suppository",
        _ if lower.starts_with("tab") => "tablet",
        _ if lower.starts_with("cap") => "capsule",
        _ if lower.starts_with("sachet") => "sachet",
        _ if lower.starts_with("vial") => "vial",
        _ => "lozenge",
    }
}

fn is_strength(unit: &str) -> bool {
    matches!(
        unit,
        "mg" | "mcg" | "g" | "units" | "mEq" | "mmol" | "%" | "mcg/h"
    )
}

/// A strength anywhere in a text: where it begins.
pub(super) fn strength(text: &str) -> Option<usize> {
    DOSE.captures_iter(text)
        .find(|found| {
            is_strength(unit(&found[6])) || matches!(unit(&found[6]), "puffs" | "sprays" | "drops")
        })
        .and_then(|found| found.get(1))
        .map(|part| part.start())
}

/// Reads what the stretches say of one medicine.
pub(super) fn read(stretches: &[Stretch<'_>], is_combination: bool) -> Sig {
    let mut sig = Sig::default();
    for (at, stretch) in stretches.iter().enumerate() {
        let mut end = stretch.from;
        let hidden = previous(stretch, &mut sig);
        dose(stretch, is_combination, &hidden, &mut sig, &mut end);
        words(stretch, &hidden, &mut sig, &mut end);
        numbers(stretch, &mut sig, &mut end);
        if at == 0 {
            sig.end = end;
        }
    }
    sig
}

/// The old dose, and which part of the text speaks of it.
fn previous(stretch: &Stretch<'_>, sig: &mut Sig) -> Vec<(usize, usize)> {
    let text = stretch.text();
    let mut hidden = Vec::new();
    if let Some(found) = BEFORE.captures(text)
        && let (Some(whole), Some(unit_part)) = (found.get(0), found.get(2))
    {
        sig.value.insert(
            "previous".into(),
            json!(format!("{} {}", &found[1], unit(unit_part.as_str()))),
        );
        sig.is_changed = true;
        // "was 20 mg twice daily)": the rest of the clause is the past as well; "from 20 mg to 40 mg" goes on with the present.
        let is_from = whole.as_str().to_lowercase().starts_with("from");
        let rest = &text[whole.end()..];
        let more = if is_from {
            0
        } else {
            rest.find([')', ',', ';', '.']).unwrap_or(rest.len())
        };
        hidden.push((whole.start(), whole.end() + more));
    } else if let Some(found) = ARROW.captures(text)
        && let (Some(first), Some(last)) = (found.get(1), found.get(3))
    {
        let own = found
            .get(2)
            .map_or(String::new(), |part| format!(" {}", unit(part.as_str())));
        sig.value
            .insert("previous".into(), json!(format!("{}{own}", first.as_str())));
        sig.is_changed = true;
        hidden.push((first.start(), last.start()));
    }
    hidden
}

fn dose(
    stretch: &Stretch<'_>,
    is_combination: bool,
    hidden: &[(usize, usize)],
    sig: &mut Sig,
    end: &mut usize,
) {
    let text = stretch.text();
    let is_hidden = |at: usize| hidden.iter().any(|(from, to)| at >= *from && at < *to);
    if sig.has_strength && sig.value.get("unit").is_some_and(|unit| unit == "puffs") {
        return;
    }
    if let Some(found) = TWICE.captures(text)
        && is_combination
        && !sig.has_strength
    {
        sig.value
            .insert("dose".into(), json!(format!("{}/{}", &found[1], &found[3])));
        sig.value.insert("unit".into(), json!(unit(&found[4])));
        (sig.has_strength, *end) = (
            true,
            (*end).max(stretch.from + found.get(4).map_or(0, |part| part.end())),
        );
        return;
    }
    let mut at = 0;
    while let Some(found) = DOSE.captures_at(text, at) {
        let (Some(first), Some(unit_part)) = (found.get(1), found.get(6)) else {
            break;
        };
        at = unit_part.end();
        let own = unit(unit_part.as_str());
        let is_puffs = matches!(own, "puffs" | "sprays" | "drops");
        let replaces = !sig.value.contains_key("dose")
            || is_puffs && sig.value["unit"] != own
            || is_strength(own) && !sig.has_strength;
        if is_hidden(first.start())
            || !replaces
            || counted(text, first.start())
            || own == "%" && sig.value.contains_key("dose")
        {
            continue;
        }
        let second = found.get(3).map(|part| part.as_str());
        let third = found.get(5).map(|part| part.as_str());
        let value = match (second, third) {
            (Some(second), Some(third)) => json!(format!("{}/{second}/{third}", first.as_str())),
            (Some(second), None)
                if is_combination || found.get(2).is_some_and(|mark| mark.as_str() == "/") =>
            {
                json!(format!("{}/{second}", first.as_str()))
            }
            (Some(second), None) => json!(format!("{}-{second}", first.as_str())),
            _ => parse(first.as_str()).map_or(Value::Null, number),
        };
        sig.value.insert("dose".into(), value);
        sig.value.insert("unit".into(), json!(own));
        sig.has_strength |= is_strength(own) || is_puffs;
        *end = (*end).max(stretch.from + unit_part.end());
    }
}

// "Quantity: 30 tablets" is no dose.
fn counted(text: &str, at: usize) -> bool {
    let before = text[..at].to_lowercase();
    let before = before.trim_end_matches([' ', ':', '#', '.']);
    [
        "qty", "quantity", "disp", "dispense", "supply", "mitte", "max", "maximum", "up to",
        "exceed", "total of",
    ]
    .iter()
    .any(|word| before.ends_with(word))
}

fn words(stretch: &Stretch<'_>, hidden: &[(usize, usize)], sig: &mut Sig, end: &mut usize) {
    let passage = stretch.passage;
    let mut token = passage.token_from(stretch.from);
    while token < passage.tokens.len() && passage.tokens[token].1 <= stretch.to {
        let start = passage.tokens[token].0;
        if hidden
            .iter()
            .any(|(from, to)| start >= stretch.from + from && start < stretch.from + to)
        {
            token += 1;
            continue;
        }
        let ahead = passage.ahead(token, stretch.to);
        let mut used = 0;
        // "One 6 hourly" is one, every six hours.
        let is_count = matches!(
            ahead.first().map(|word| word.to_lowercase()).as_deref(),
            Some("one" | "two" | "1" | "2")
        ) && ahead.len() > 1
            && dictionary::frequency(&ahead[1..]).is_some();
        if is_count {
            token += 1;
            continue;
        }
        if let Some((count, often)) = dictionary::frequency(&ahead)
            && !sig.value.contains_key("frequency")
        {
            sig.value.insert("frequency".into(), json!(often));
            used = count;
        } else if let Some((count, route)) = dictionary::route(&ahead)
            && !sig.value.contains_key("route")
        {
            sig.value.insert("route".into(), json!(route));
            used = count;
        } else if let Some((count, form)) = dictionary::form(&ahead)
            && !sig.value.contains_key("form")
        {
            sig.value.insert("form".into(), json!(form));
            used = count;
        }
        if used > 0 {
            *end = (*end).max(passage.tokens[(token + used - 1).min(passage.tokens.len() - 1)].1);
        }
        token += used.max(1);
    }
    if let Some(found) = NEEDED.find(stretch.text()) {
        sig.value.insert("as_needed".into(), json!(true));
        *end = (*end).max(stretch.from + found.end());
    }
}

fn numbers(stretch: &Stretch<'_>, sig: &mut Sig, end: &mut usize) {
    let text = stretch.text();
    if let Some(found) = DAYS.captures(text) {
        let count: Option<u32> = found
            .get(1)
            .or(found.get(3))
            .and_then(|part| part.as_str().parse().ok());
        let word = found
            .get(2)
            .or(found.get(4))
            .map_or("", |part| part.as_str())
            .to_lowercase();
        let factor = if word.starts_with('w') || word == "/52" {
            7
        } else if word.starts_with("mo") {
            30
        } else {
            1
        };
        if let Some(count) = count {
            sig.value
                .entry("days")
                .or_insert_with(|| json!(count * factor));
            *end = (*end).max(stretch.from + found.get(0).map_or(0, |part| part.end()));
        }
    }
    if let Some(found) = QUANTITY.captures(text)
        && let Some(count) = found
            .get(1)
            .or(found.get(2))
            .and_then(|part| part.as_str().parse::<u32>().ok())
    {
        sig.value.entry("quantity").or_insert_with(|| json!(count));
    }
    if let Some(found) = REFILLS.captures(text) {
        let count = found[1].parse::<u32>().unwrap_or(0);
        sig.value.entry("refills").or_insert_with(|| json!(count));
    }
}
