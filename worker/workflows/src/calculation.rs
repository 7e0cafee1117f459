//! `calculation`: what is to be known of two people before anything is written. The sky, calendars and numbers go to a file that the
//! texts read; the result has the little that workers of release 0.1.0 know.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate};
use gristmill_chapters::System;
use gristmill_core::job::ClaimedJob;
use serde::{Deserialize, Serialize};

use super::artifact::{Form, Made, Place};
use super::people::Person;
use super::texts::Document;
use super::{TaskError, input, people};
use gristmill_runner::Context;

/// The input.
#[derive(Debug, Deserialize)]
pub(super) struct Input {
    person1: Person,
    person2: Person,
    #[serde(default)]
    systems: Vec<System>,
    #[serde(default)]
    documents: Vec<Document>,
    /// Absent in version 1 of the workflow, whose texts calculate for themselves.
    #[serde(flatten)]
    place: Option<Place>,
}

/// What there is to say about one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) born: NaiveDate,
    pub(super) weekday: String,
    pub(super) day_of_year: u32,
    pub(super) season: String,
    /// The digits of the date, added until one is left.
    pub(super) number: u32,
    pub(super) letters: usize,
    pub(super) vowels: usize,
}

/// What there is to say about two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Between {
    pub(super) days: i64,
    pub(super) numbers: u32,
    pub(super) shared_letters: String,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AllFacts {
    pub(super) person1: Facts,
    pub(super) person2: Facts,
    pub(super) between: Between,
}

/// The result.
#[derive(Debug, Serialize)]
pub(super) struct Calculated {
    facts: AllFacts,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<Made>,
}

pub(super) async fn run(
    job: &ClaimedJob,
    context: &Context<'_>,
) -> Result<impl Serialize + use<>, TaskError> {
    let input: Input = input(job)?;
    let mut calculated = Calculated {
        facts: brief(&input.person1, &input.person2)?,
        path: None,
        artifacts: Vec::new(),
    };
    if let Some(place) = input.place {
        let named = input.documents.iter().map(Document::system);
        let systems: BTreeSet<System> = named.chain(input.systems).collect();
        let facts = people::calculate(&input.person1, &input.person2, &systems)?;
        let content =
            serde_json::to_vec(&facts).map_err(|error| TaskError::Content(error.to_string()))?;
        let made = place
            .store(Form::Text, "Calculations", content, context)
            .await?;
        calculated.path = Some(made.storage_path.clone());
        calculated.artifacts.push(made);
    }
    Ok(calculated)
}

fn brief(one: &Person, other: &Person) -> Result<AllFacts, TaskError> {
    let (person1, person2) = (facts(one)?, facts(other)?);
    let mut shared: Vec<char> = letters(&person1.name)
        .filter(|letter| letters(&person2.name).any(|other| other == *letter))
        .collect();
    shared.sort_unstable();
    shared.dedup();
    let between = Between {
        days: (person1.born - person2.born).num_days().abs(),
        numbers: person1.number.abs_diff(person2.number),
        shared_letters: shared.into_iter().collect(),
    };
    Ok(AllFacts {
        person1,
        person2,
        between,
    })
}

fn facts(person: &Person) -> Result<Facts, TaskError> {
    let name = person.name()?.to_owned();
    let born = person.born;
    Ok(Facts {
        weekday: born.format("%A").to_string(),
        day_of_year: born.ordinal(),
        season: season(born.month()).to_owned(),
        number: digit_root(born),
        letters: letters(&name).count(),
        vowels: letters(&name)
            .filter(|letter| "aeiou".contains(*letter))
            .count(),
        name,
        born,
    })
}

fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars()
        .flat_map(char::to_lowercase)
        .filter(|letter| letter.is_alphabetic())
}

fn season(month: u32) -> &'static str {
    match month {
        3..=5 => "spring",
        6..=8 => "summer",
        9..=11 => "autumn",
        _ => "winter",
    }
}

fn digit_root(date: NaiveDate) -> u32 {
    let sum: u32 = date
        .format("%Y%m%d")
        .to_string()
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .sum();
    if sum == 0 { 0 } else { 1 + (sum - 1) % 9 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(input: &str) -> Result<AllFacts, TaskError> {
        let input: Input = serde_json::from_str(input).unwrap();
        assert!(input.place.is_none());
        brief(&input.person1, &input.person2)
    }

    #[test]
    fn the_brief_facts_of_release_0_1_0_are_worked_out_from_names_and_dates() {
        let facts = of(r#"{"person1": {"name": "Ada", "born": "1815-12-10"}, "person2": {"name": "Charles", "born": "1791-12-26"}}"#).unwrap();
        assert_eq!(facts.person1.weekday, "Sunday");
        assert_eq!(facts.person1.day_of_year, 344);
        assert_eq!(facts.person1.season, "winter");
        assert_eq!(facts.person1.number, 1); // 1+8+1+5+1+2+1+0 = 19, 10, 1
        assert_eq!((facts.person1.letters, facts.person1.vowels), (3, 2));
        assert_eq!(facts.between.days, 8749);
        assert_eq!(facts.between.shared_letters, "a");
    }

    #[test]
    fn a_person_without_a_name_or_with_a_wrong_date_is_refused() {
        assert!(of(r#"{"person1": {"name": " ", "born": "1815-12-10"}, "person2": {"name": "C", "born": "1791-12-26"}}"#).is_err());
        let undated = r#"{"person1": {"name": "A", "born": "1815-13-10"}, "person2": {"name": "C", "born": "1791-12-26"}}"#;
        assert!(serde_json::from_str::<Input>(undated).is_err());
    }

    #[test]
    fn the_input_of_the_second_version_says_where_to_write_and_which_systems() {
        let place = r#""user": "00000000-0000-0000-0000-000000000001", "job": "00000000-0000-0000-0000-000000000002", "task": "00000000-0000-0000-0000-000000000003""#;
        let input: Input = serde_json::from_str(&format!(
            r#"{{{place}, "systems": ["vedic"], "documents": [{{"system": "western", "about": "both"}}],
                "person1": {{"name": "A", "born": "1990-01-01", "time": "08:30", "zone": "+01:00"}}, "person2": {{"name": "B", "born": "1991-01-01"}}}}"#
        ))
        .unwrap();
        assert!(input.place.is_some());
        assert_eq!(
            (input.systems, input.documents[0].system()),
            (vec![System::Vedic], System::Western)
        );
    }
}
