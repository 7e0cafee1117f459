//! Vital signs: blood pressure, heart rate, temperature and the like, wherever a label and a number stand together.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use crate::labs::parse;
use crate::model::FactKind;
use crate::passage::Passage;
use crate::pattern;
use crate::reader::{Reader, fact, number};

static PRESSURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:blood pressure|b\.?p\.?)\b[^\d\n]{0,24}?(\d{2,3})\s?/\s?(\d{2,3})(?:\s?mm\s?hg)?|(?:^|[^\d/.])(\d{2,3})\s?/\s?(\d{2,3})\s?mm\s?hg",
    )
});
/// Name, how it is labelled, what may stand between, its units, and the usual unit.
struct Sign {
    name: &'static str,
    pattern: Regex,
    unit: &'static str,
    least: f64,
    most: f64,
}

static SIGNS: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    let link = r"\s*(?:\([^)]{0,16}\)|rate)?\s*(?:was|is|of|at|:|=|-|\u{2013})?\s*(?:of|at)?\s*";
    [
        ("heart rate", r"heart rate|pulse(?: rate)?|h\.?r\.?|p", r"\s?(bpm|beats per minute|beats/min|/\s?min(?:ute)?|per minute|b/min)?", "bpm", 20.0, 260.0),
        ("temperature", r"temperature|temp\.?|t", r"\s?((?:\u{b0}|deg(?:rees)?|o|\u{ba})?\s?[CF]\b)?", "", 30.0, 112.0),
        ("respiratory rate", r"respiratory rate|resp(?:\.|irations?)?(?: rate)?|r\.?r\.?", r"\s?(/\s?min(?:ute)?|breaths/min(?:ute)?|breaths per minute|per minute|bpm|rpm)?", "/min", 4.0, 70.0),
        ("oxygen saturation", r"oxygen saturations?|o2 sat(?:uration)?s?|sp\s?o2|sa\s?o2|sats?|saturations?|o2 sats?|pulse ox(?:imetry)?", r"\s?(%)?", "%", 50.0, 100.0),
        ("weight", r"body weight|weight|wt\.?", r"\s?(kgs?|kilograms?|lbs?|pounds)\b", "", 1.0, 700.0),
        ("height", r"height|ht\.?", r"\s?(cm|m|in(?:ches)?)\b", "", 1.0, 250.0),
        ("body mass index", r"bmi|body mass index", r"\s?(kg/m2|kg/m\^2|kg/m\u{b2})?", "kg/m2", 8.0, 90.0),
    ]
    .into_iter()
    .map(|(name, labels, units, unit, least, most)| Sign {
        name,
        pattern: pattern(&format!(r"(?i)(?:^|[^a-z0-9])(?:{labels}){link}(\d{{1,3}}(?:[.,]\d{{1,2}})?){units}")),
        unit,
        least,
        most,
    })
    .collect()
});

/// Whether a row is one of vital signs.
pub(crate) fn is_one(passage: &Passage) -> bool {
    PRESSURE.is_match(&passage.text)
        || SIGNS
            .iter()
            .any(|sign| sign.pattern.is_match(&passage.text))
}

pub(crate) fn find(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let text = reader.items[at].text().to_owned();
        pressure(reader, at, &text);
        for sign in SIGNS.iter() {
            one(reader, at, &text, sign);
        }
    }
}

fn pressure(reader: &mut Reader, at: usize, text: &str) {
    for found in PRESSURE.captures_iter(text) {
        let part = |one: usize, other: usize| found.get(one).or(found.get(other));
        let (Some(upper), Some(lower), Some(whole)) = (part(1, 3), part(2, 4), found.get(0)) else {
            continue;
        };
        let (Ok(systolic), Ok(diastolic)) =
            (upper.as_str().parse::<u32>(), lower.as_str().parse::<u32>())
        else {
            continue;
        };
        let is_possible = (50..=280).contains(&systolic)
            && (20..=180).contains(&diastolic)
            && systolic > diastolic;
        if !is_possible || reader.is_taken(at, upper.start(), lower.end()) {
            continue;
        }
        let from = if found.get(1).is_some() {
            whole.start()
        } else {
            upper.start()
        };
        let mut own = fact(
            FactKind::VitalSign,
            &reader.items[at].passage,
            from,
            whole.end(),
            "blood pressure".into(),
            0.95,
        );
        own.value.insert("systolic".into(), json!(systolic));
        own.value.insert("diastolic".into(), json!(diastolic));
        own.value.insert("unit".into(), json!("mmHg"));
        reader.take(at, from, whole.end());
        reader.facts.push(own);
    }
}

fn one(reader: &mut Reader, at: usize, text: &str, sign: &Sign) {
    let in_vitals = reader.items[at].section() == gristmill_dictionary::Section::Vitals;
    let mut start = 0;
    while let Some(found) = sign.pattern.captures_at(text, start) {
        let (Some(whole), Some(digits)) = (found.get(0), found.get(1)) else {
            break;
        };
        start = whole.end().max(start + 1);
        let Some(value) = parse(digits.as_str()) else {
            continue;
        };
        let label =
            text[whole.start()..digits.start()].trim_matches(|c: char| !c.is_alphanumeric());
        let written = found.get(2).map(|part| part.as_str().trim());
        // One letter is a label among vital signs alone.
        let is_short = label.chars().filter(|c| c.is_alphabetic()).count() <= 1;
        let goes_on = text[whole.end()..].starts_with(|c: char| c.is_ascii_digit() || c == '/');
        let is_possible = (sign.least..=sign.most).contains(&value) && !goes_on;
        if !is_possible
            || is_short && !in_vitals && !(written.is_some() && PRESSURE.is_match(text))
            || reader.is_taken(at, digits.start(), digits.end())
        {
            continue;
        }
        let unit = match (sign.name, written) {
            ("temperature", Some(unit)) if unit.ends_with(['F', 'f']) => "\u{b0}F",
            ("temperature", Some(_)) => "\u{b0}C",
            ("temperature", None) if value > 60.0 => "\u{b0}F",
            ("temperature", None) => "\u{b0}C",
            ("heart rate", Some(unit)) if unit.starts_with('/') || unit == "per minute" => "/min",
            ("weight", Some(unit)) if unit.to_lowercase().starts_with('k') => "kg",
            ("weight", Some(_)) => "lb",
            ("height", Some(unit)) if unit.to_lowercase().starts_with('i') => "in",
            ("height", Some(unit)) => {
                if unit.eq_ignore_ascii_case("m") {
                    "m"
                } else {
                    "cm"
                }
            }
            _ => sign.unit,
        };
        let from = whole.start() + text[whole.start()..].find(label).unwrap_or(0);
        let mut own = fact(
            FactKind::VitalSign,
            &reader.items[at].passage,
            from,
            whole.end(),
            sign.name.into(),
            0.93,
        );
        own.value.insert("value".into(), number(value));
        own.value.insert("unit".into(), json!(unit));
        reader.take(at, from, whole.end());
        reader.facts.push(own);
    }
}
