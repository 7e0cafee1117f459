//! People, providers and dates: what labels and titles say.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;

static DOCTOR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bDr\.?\s+((?:[A-Z][A-Za-z'\-]+\s?){1,3})").ok());
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:(\d{4})-(\d{2})-(\d{2})|(\d{1,2})[/.](\d{1,2})[/.](\d{4})|(\d{1,2})\s+([A-Z][a-z]{2,8})\.?,?\s+(\d{4})|([A-Z][a-z]{2,8})\.?\s+(\d{1,2}),?\s+(\d{4}))\b").ok()
});

/// What a label means.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(super) enum Label {
    Patient,
    Birth,
    Provider,
    Sex,
    RecordNumber,
    Diagnosis,
    Date(&'static str),
}

pub(super) fn label(key: &str) -> Option<Label> {
    Some(match key.trim().to_lowercase().as_str() {
        "patient" | "patient name" | "name" | "name of patient" => Label::Patient,
        "dob" | "d.o.b" | "d.o.b." | "date of birth" | "birth date" | "born" => Label::Birth,
        "provider"
        | "ordering provider"
        | "ordering physician"
        | "prescriber"
        | "physician"
        | "attending"
        | "attending physician"
        | "referring physician"
        | "doctor"
        | "clinician" => Label::Provider,
        "sex" | "gender" => Label::Sex,
        "mrn" | "medical record number" | "record number" => Label::RecordNumber,
        "diagnosis" | "diagnoses" | "impression" | "assessment" | "problem list" => {
            Label::Diagnosis
        }
        "date" | "document date" | "date of visit" | "visit date" => Label::Date("document"),
        "collected" | "collection date" | "date collected" => Label::Date("collected"),
        "reported" | "report date" | "date reported" => Label::Date("reported"),
        "received" => Label::Date("received"),
        "admitted" | "admission date" | "date of admission" => Label::Date("admitted"),
        "discharged" | "discharge date" | "date of discharge" => Label::Date("discharged"),
        _ => return None,
    })
}

/// A person's name as it stands before a comma or a second label: letters, two to four words.
pub(super) fn name(value: &str) -> Option<String> {
    let value = value.split([',', ';', '(']).next()?.trim();
    let value = value
        .strip_prefix("Dr.")
        .or_else(|| value.strip_prefix("Dr "))
        .unwrap_or(value);
    let words: Vec<&str> = value
        .split_whitespace()
        .take_while(|word| {
            word.chars()
                .all(|letter| letter.is_alphabetic() || "'-.".contains(letter))
                && !word.ends_with(':')
        })
        .filter(|word| !matches!(*word, "MD" | "M.D." | "DO" | "NP" | "RN"))
        .take(4)
        .collect();
    (words.len() >= 2
        && words
            .iter()
            .all(|word| word.starts_with(char::is_uppercase)))
    .then(|| words.join(" "))
}

/// Names behind "Dr." anywhere in a text, with where they stand.
pub(super) fn doctors(text: &str) -> Vec<(usize, usize, String)> {
    let Some(pattern) = DOCTOR.as_ref() else {
        return Vec::new();
    };
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            let written = found.get(1)?;
            // A name does not go on in the next line: what stands there is another thing.
            let line = written.as_str().lines().next()?.trim();
            (line.split_whitespace().count() >= 2).then(|| {
                (
                    written.start(),
                    written.start() + line.len(),
                    line.to_owned(),
                )
            })
        })
        .collect()
}

/// Dates of a text. Month before day, as in the United States, unless that cannot be.
pub(super) fn dates(text: &str) -> Vec<(usize, usize, NaiveDate)> {
    let Some(pattern) = DATE.as_ref() else {
        return Vec::new();
    };
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            let whole = found.get(0)?;
            let number = |at: usize| {
                found
                    .get(at)
                    .and_then(|part| part.as_str().parse::<u32>().ok())
            };
            let year = |at: usize| number(at).and_then(|year| i32::try_from(year).ok());
            let named = |at: usize| found.get(at).and_then(|part| month(part.as_str()));
            let date = if let (Some(year), Some(month), Some(day)) = (year(1), number(2), number(3))
            {
                NaiveDate::from_ymd_opt(year, month, day)
            } else if let (Some(first), Some(second), Some(year)) = (number(4), number(5), year(6))
            {
                NaiveDate::from_ymd_opt(year, first, second)
                    .or_else(|| NaiveDate::from_ymd_opt(year, second, first))
            } else if let (Some(day), Some(month), Some(year)) = (number(7), named(8), year(9)) {
                NaiveDate::from_ymd_opt(year, month, day)
            } else {
                NaiveDate::from_ymd_opt(year(12)?, named(10)?, number(11)?)
            };
            date.map(|date| (whole.start(), whole.end(), date))
        })
        .collect()
}

fn month(name: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let start = name.get(..3)?.to_lowercase();
    MONTHS
        .iter()
        .position(|month| *month == start)
        .and_then(|at| u32::try_from(at + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Option<String> {
        dates(text).first().map(|found| found.2.to_string())
    }

    #[test]
    fn dates_are_read_in_the_usual_forms() {
        for text in [
            "03/14/1958",
            "14.3.1958",
            "1958-03-14",
            "14 March 1958",
            "Mar 14, 1958",
        ] {
            assert_eq!(date(text).as_deref(), Some("1958-03-14"), "{text}");
        }
        assert_eq!(date("99/99/2024"), None);
        assert_eq!(date("555-0142"), None);
    }

    #[test]
    fn names_end_where_they_end() {
        assert_eq!(name("Margaret Hollis").as_deref(), Some("Margaret Hollis"));
        assert_eq!(
            name("Dr. Alan Whitcombe").as_deref(),
            Some("Alan Whitcombe")
        );
        assert_eq!(name("Helen Marsh, MD").as_deref(), Some("Helen Marsh"));
        assert_eq!(name("4471-2290"), None);
        assert_eq!(
            doctors("See Dr. Samuel Reyes in the clinic")[0].2,
            "Samuel Reyes"
        );
    }
}
