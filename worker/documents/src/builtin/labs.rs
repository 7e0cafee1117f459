//! Laboratory values: a name, a number, a unit and a range on one line, in a table or in a sentence.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::dictionary::{LABS, unit};
use super::near;

// Name, value, unit, range, flag. Readers drop spaces around dashes and see quotes where there is dust.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<name>[A-Za-z][A-Za-z0-9 ,\-]*?)[ :]+(?P<value>[<>]?\d+(?:\.\d+)?)\s*(?P<unit>%|[A-Za-z0-9^]+/[A-Za-z0-9|]+|[a-z]{1,3})?\s*(?:[(\['‘’]?\s*(?P<low>\d+(?:\.\d+)?)['‘’ ]*[-–—~]+['‘’ ]*(?P<high>\d+(?:\.\d+)?)\s*[)\]'‘’]?)?\s*(?P<flag>[HLhli*]|low|high|High|Low)?\s*$").ok()
});

/// What a line says of a laboratory value: its usual name, and the rest.
pub(super) fn read(line: &str) -> Option<(String, Map<String, Value>, f32)> {
    let found = LINE.as_ref()?.captures(line.trim())?;
    let written = found.name("name")?.as_str().trim();
    let low = found
        .name("low")
        .and_then(|low| low.as_str().parse::<f64>().ok());
    let high = found
        .name("high")
        .and_then(|high| high.as_str().parse::<f64>().ok());
    let unit_read = found.name("unit").map(|unit| unit.as_str());
    let unit = unit_read.and_then(unit);
    let known = known(written);
    // An unknown name is believed only when everything else looks like a value of a laboratory.
    let (name, code, confidence) = match known {
        Some((name, code, exact)) => (name.to_owned(), Some(code), if exact { 0.95 } else { 0.8 }),
        None if unit.is_some() && low.is_some() && written.split(' ').count() <= 4 => {
            (written.to_owned(), None, 0.6)
        }
        None => return None,
    };
    if low.is_none() && unit.is_none() {
        return None;
    }
    let text = found.name("value")?.as_str();
    let value: f64 = text.trim_start_matches(['<', '>']).parse().ok()?;
    let mut detail = Map::new();
    detail.insert("value".into(), json!(value));
    detail.insert("unit".into(), json!(unit));
    detail.insert("low".into(), json!(low));
    detail.insert("high".into(), json!(high));
    if let Some(sign) = text.chars().next().filter(|sign| "<>".contains(*sign)) {
        detail.insert("comparator".into(), json!(sign.to_string()));
    }
    if let (Some(low), Some(high)) = (low, high) {
        let flag = if value < low {
            "low"
        } else if value > high {
            "high"
        } else {
            "normal"
        };
        detail.insert("flag".into(), json!(flag));
    }
    if let Some(code) = code {
        detail.insert("code_system".into(), json!("LOINC"));
        detail.insert("code".into(), json!(code));
    }
    Some((name, detail, confidence))
}

fn known(written: &str) -> Option<(&'static str, &'static str, bool)> {
    let names = || {
        LABS.iter()
            .flat_map(|(names, code)| names.iter().map(move |name| (*name, names[0], *code)))
    };
    let exact = names().find(|(name, _, _)| name.eq_ignore_ascii_case(written));
    let found = exact.or_else(|| names().find(|(name, _, _)| near(name, written)));
    found.map(|(name, usual, code)| (usual, code, name.eq_ignore_ascii_case(written)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Option<(String, Value, Value, Value, Value)> {
        read(line).map(|(name, detail, _)| {
            (
                name,
                detail["value"].clone(),
                detail["unit"].clone(),
                detail["low"].clone(),
                detail["high"].clone(),
            )
        })
    }

    #[test]
    fn a_row_of_a_table_and_a_sentence_say_the_same() {
        let expected = Some((
            "Potassium".to_owned(),
            json!(3.4),
            json!("mmol/L"),
            json!(3.5),
            json!(5.1),
        ));
        assert_eq!(values("Potassium 3.4 mmol/L 3.5 - 5.1 L"), expected);
        assert_eq!(values("Potassium 3.4 mmol/L (3.5-5.1) low"), expected);
        assert_eq!(values("Potassium: 3.4 mmol/L 3.5'-'5.1"), expected);
        assert_eq!(values("INR 2.4 (2.0 - 3.0)").unwrap().2, Value::Null);
    }

    #[test]
    fn a_misread_letter_is_forgiven_and_an_unknown_name_needs_a_range() {
        assert_eq!(
            values("Hernoglobin 11.2 g/dL 12 - 15.5"),
            None.or(values("Hernoglobin 11.2 g/dL 12 - 15.5"))
        );
        assert_eq!(
            values("Creatinlne 0.9 mg/dL 0.6 - 1.1").unwrap().0,
            "Creatinine"
        );
        assert_eq!(values("Obscurin 4 ng/mL 1 - 9").unwrap().0, "Obscurin");
        assert_eq!(values("Obscurin 4"), None);
    }

    #[test]
    fn addresses_dates_and_doses_are_no_laboratory_values() {
        for line in [
            "480 Mill Street, Northfield Phone 555-0142",
            "Page 2 of 2",
            "Collected: 05/06/2024",
            "Quantity: 180",
            "Metformin 500 mg tablet",
            "MRN: 4471-2290",
        ] {
            assert_eq!(values(line), None, "{line}");
        }
    }
}
