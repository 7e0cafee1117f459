//! The systems that a document may be about. Each works something out from a name and a moment of birth, and writes chapters of it: what
//! was calculated stands in every paragraph, so no two people get the same one.

mod calendar;
mod human_design;
mod numbers;
mod signs;
#[cfg(test)]
mod tests;
mod vedic;
mod verdict;
mod western;

use chrono::{NaiveDate, NaiveTime, TimeZone, Utc};
use serde_json::{Value, json};

use super::sky::{Body, Sky};
use super::texts::{Document, Section};

/// Somebody, and the sky over the birth.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) name: String,
    /// By the clock of the place where it was.
    pub(super) date: NaiveDate,
    pub(super) sky: Sky,
    /// Without an hour the sky is that of noon in Greenwich.
    pub(super) has_hour: bool,
}

impl Subject {
    pub(super) fn new(
        name: String,
        date: NaiveDate,
        moment: Option<chrono::DateTime<Utc>>,
    ) -> Self {
        let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
        Self {
            name,
            date,
            sky: Sky::at(moment.unwrap_or_else(|| Utc.from_utc_datetime(&date.and_time(noon)))),
            has_hour: moment.is_some(),
        }
    }

    fn at(&self, body: Body) -> f64 {
        self.sky.longitude(body)
    }

    fn born(&self) -> String {
        long(self.date)
    }

    /// All that the systems work out, for whoever reads the result of the calculation.
    pub(super) fn facts(&self) -> Value {
        json!({
            "western": western::facts(self),
            "vedic": vedic::facts(self),
            "human_design": human_design::facts(self),
            "numbers": numbers::facts(self),
            "calendar": calendar::facts(self),
        })
    }
}

/// What a document is called: by whom it is about.
pub(super) fn title(document: &Document, one: &Subject, other: &Subject) -> String {
    let what = match document.system.as_str() {
        "western" => "the western chart",
        "vedic" => "the vedic chart",
        "human_design" => "the human design chart",
        "numbers" => "the numbers",
        "calendar" => "the calendar",
        "verdict" => return format!("The verdict on {} and {}", one.name, other.name),
        _ => return document.title.clone(),
    };
    match document.about.as_str() {
        "person1" => format!("{}: {what}", one.name),
        "person2" => format!("{}: {what}", other.name),
        _ => format!("{} and {}: {what}", one.name, other.name),
    }
}

/// The chapters of a document. A system of a definition of one's own that is not known here gets the verdict.
pub(super) fn write(document: &Document, one: &Subject, other: &Subject) -> Vec<Section> {
    let about = match document.about.as_str() {
        "person1" => Some(one),
        "person2" => Some(other),
        _ => None,
    };
    let mut chapter = Chapter::default();
    match (document.system.as_str(), about) {
        ("western" | "seasons", Some(person)) => western::one(person, &mut chapter),
        ("western" | "seasons", None) => western::both(one, other, &mut chapter),
        ("vedic", Some(person)) => vedic::one(person, &mut chapter),
        ("vedic", None) => vedic::both(one, other, &mut chapter),
        ("human_design", Some(person)) => human_design::one(person, &mut chapter),
        ("human_design", None) => human_design::both(one, other, &mut chapter),
        ("numbers" | "letters", Some(person)) => numbers::one(person, &mut chapter),
        ("numbers" | "letters", None) => numbers::both(one, other, &mut chapter),
        ("calendar" | "distances", Some(person)) => calendar::one(person, &mut chapter),
        ("calendar" | "distances", None) => calendar::both(one, other, &mut chapter),
        _ => verdict::both(one, other, &mut chapter),
    }
    chapter.sections
}

/// A document while it is written.
#[derive(Debug, Default)]
struct Chapter {
    sections: Vec<Section>,
}

impl Chapter {
    fn section(&mut self, title: impl Into<String>) {
        self.sections.push(Section {
            title: title.into(),
            text: String::new(),
        });
    }

    /// A paragraph below the last heading.
    fn say(&mut self, sentences: &[String]) {
        if let Some(section) = self.sections.last_mut() {
            if !section.text.is_empty() {
                section.text.push_str("\n\n");
            }
            let sentences: Vec<_> = sentences.iter().map(|one| capital(one)).collect();
            section.text.push_str(&sentences.join(" "));
        }
    }
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn long(date: NaiveDate) -> String {
    date.format("%-d %B %Y").to_string()
}

/// "a, b and c".
fn listed(items: &[String]) -> String {
    match items {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

const SMALL: [&str; 13] = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

fn counted(number: usize, what: &str) -> String {
    let number_word = SMALL
        .get(number)
        .map_or_else(|| number.to_string(), |&word| word.to_owned());
    format!("{number_word} {what}{}", if number == 1 { "" } else { "s" })
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// How far two points of a circle are apart, 0 to 180.
fn apart(one: f64, other: f64) -> f64 {
    super::sky::signed(one - other).abs()
}

/// Which of `parts` equal parts of the circle a longitude lies in.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and the number of parts"
)]
fn part(longitude: f64, parts: usize) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "parts are few")]
    let width = 360.0 / parts as f64;
    ((longitude.rem_euclid(360.0) / width) as usize).min(parts - 1)
}
