//! The words and numbers of a fact, by its kind.

use gristmill_dictionary as dictionary;
use gristmill_reading::{Fact, FactKind};
use serde_json::Value;

use super::written::Written;

/// Why the words or numbers of a fact are not those of the page; None where they are.
pub(super) fn refusal(fact: &Fact, written: &Written) -> Option<String> {
    if fact.kind != FactKind::Date && !is_named(fact.kind, &fact.name, &fact.written, written) {
        return Some("its name is not on the page".to_owned());
    }
    fact.value
        .iter()
        .filter(|(key, _)| is_from_the_page(key))
        .find_map(|(key, value)| missing(key, value, written))
}

/// Flags, roles and whether a value is abnormal are conclusions, and no words of the page.
fn is_from_the_page(key: &str) -> bool {
    !matches!(
        key,
        "flag"
            | "abnormal"
            | "role"
            | "sex"
            | "as_needed"
            | "route"
            | "form"
            | "comparator"
            | "severity"
    )
}

fn missing(key: &str, value: &Value, written: &Written) -> Option<String> {
    match value {
        Value::Object(parts) => parts
            .iter()
            .find_map(|(key, value)| missing(key, value, written)),
        Value::Number(number) => written
            .missing_number(&number.to_string())
            .map(|number| format!("{key} {number} is not on the page")),
        Value::String(text) if key == "frequency" => {
            (!written.has_frequency(text)).then(|| format!("{key} {text} is not on the page"))
        }
        Value::String(text) if key.ends_with("date") => (!text.is_empty()
            && !written.has_date(text))
        .then(|| format!("{key} {text} is not on the page")),
        // A time has another form on the page, and units another spelling; what counts in them are other fields.
        Value::String(_) if matches!(key, "time" | "unit") => None,
        Value::String(text) if matches!(key, "reaction" | "with") => {
            let is_there = written.has_words_of(text) || has(text, written, dictionary::reaction);
            (!is_there).then(|| format!("{key} {text} is not on the page"))
        }
        Value::String(text) => written
            .missing_number(text)
            .map(|number| format!("{key} {number} is not on the page")),
        _ => None,
    }
}

/// Whether the name, or what the dictionary knows as the same, stands on the page.
pub(super) fn is_named(kind: FactKind, name: &str, said: &str, written: &Written) -> bool {
    if written.has_phrase(name) {
        return true;
    }
    match kind {
        FactKind::Patient | FactKind::Provider | FactKind::Appointment => {
            written.has_words_of(name)
        }
        FactKind::Condition | FactKind::Finding => {
            has_condition(name, written)
                || has(name, written, dictionary::procedure)
                || written.has_words_of(name)
        }
        FactKind::Medication => has_drug(name, written),
        FactKind::Lab => {
            dictionary::analyte(name).is_some_and(|analyte| written.has_analyte(analyte.name))
        }
        FactKind::Allergy => {
            has_drug(name, written)
                || has(name, written, dictionary::allergen)
                || is_none_known(name) && NONE_KNOWN.iter().any(|words| written.has_phrase(words))
        }
        FactKind::Procedure => {
            has(name, written, dictionary::procedure) || written.has_words_of(name)
        }
        FactKind::Immunisation => {
            has(name, written, dictionary::vaccine) || written.has_words_of(name)
        }
        FactKind::VitalSign => vital_signs(name)
            .iter()
            .any(|words| written.has_phrase(words)),
        FactKind::Date => !said.is_empty() && written.has_words_of(said),
    }
}

const NONE_KNOWN: &[&str] = &[
    "nkda",
    "nka",
    "no known allergies",
    "no known drug allergies",
    "no known drug allergy",
    "no known allergy",
    "no allergies",
    "no drug allergies",
    "no known",
    "none known",
    "allergies none",
    "allergies nil",
    "nil known",
    "denies allergies",
    "denies any allergies",
];

fn is_none_known(name: &str) -> bool {
    dictionary::fold(name).starts_with("no ")
}

fn whole(name: &str, look: impl Fn(&[&str]) -> Option<&'static str>) -> Option<&'static str> {
    let words: Vec<&str> = name.split_whitespace().collect();
    look(&words)
}

fn has(name: &str, written: &Written, look: fn(&[&str]) -> Option<(usize, &'static str)>) -> bool {
    let look = |words: &[&str]| look(words).map(|found| found.1);
    whole(name, look).is_some_and(|wanted| written.has_name(wanted, look))
}

/// The usual name of a drug.
pub(super) fn drug(words: &[&str]) -> Option<&'static str> {
    dictionary::drug(words).map(|found| found.1.name)
}

/// The usual name of a condition.
pub(super) fn condition(words: &[&str]) -> Option<&'static str> {
    dictionary::condition(words).map(|found| found.1.name)
}

fn has_drug(name: &str, written: &Written) -> bool {
    whole(name, drug).is_some_and(|wanted| written.has_name(wanted, drug))
}

fn has_condition(name: &str, written: &Written) -> bool {
    dictionary::condition_names(name).any(|synonym| written.has_phrase(synonym))
        || whole(name, condition).is_some_and(|wanted| written.has_name(wanted, condition))
}

fn vital_signs(name: &str) -> &'static [&'static str] {
    match dictionary::fold(name).as_str() {
        "blood pressure" => &["bp", "b p", "blood pressure", "mmhg", "pressure"],
        "pulse" | "heart rate" => &["hr", "pulse", "heart rate", "bpm", "p", "pulse rate"],
        "temperature" => &["temp", "temperature", "t", "febrile", "afebrile"],
        "respiratory rate" => &[
            "rr",
            "resp",
            "respiratory rate",
            "respirations",
            "resp rate",
            "respiration",
        ],
        "oxygen saturation" | "spo2" => &[
            "spo2",
            "o2 sat",
            "sats",
            "saturation",
            "oxygen saturation",
            "sao2",
            "o2 saturation",
            "o2 sats",
            "sat",
        ],
        "weight" | "body weight" => &["wt", "weight", "kg", "body weight"],
        "height" | "body height" => &["ht", "height", "body height"],
        "body mass index" | "bmi" => &["bmi", "body mass index"],
        "pain score" | "pain" => &["pain", "pain score"],
        _ => &[],
    }
}
