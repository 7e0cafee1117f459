//! `calculation`: facts about two people that the texts are then about. Real arithmetic on names and dates.

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

use super::TaskError;

/// A person, as the caller gives it.
#[derive(Debug, Deserialize)]
pub(super) struct Person {
    name: String,
    born: NaiveDate,
}

/// The input.
#[derive(Debug, Deserialize)]
pub(super) struct Input {
    person1: Person,
    person2: Person,
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
}

pub(super) fn run(input: Input) -> Result<Calculated, TaskError> {
    let (person1, person2) = (facts(input.person1)?, facts(input.person2)?);
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
    Ok(Calculated {
        facts: AllFacts {
            person1,
            person2,
            between,
        },
    })
}

fn facts(person: Person) -> Result<Facts, TaskError> {
    let name = person.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > 100 {
        return Err(TaskError::Input(
            "a name has 1 to 100 characters".to_owned(),
        ));
    }
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
pub(super) fn sample() -> AllFacts {
    let input = r#"{"person1": {"name": "Ada", "born": "1815-12-10"}, "person2": {"name": "Charles", "born": "1791-12-26"}}"#;
    run(serde_json::from_str(input).unwrap()).unwrap().facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_worked_out_from_names_and_dates() {
        let facts = sample();
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
        let nameless = r#"{"person1": {"name": " ", "born": "1815-12-10"}, "person2": {"name": "C", "born": "1791-12-26"}}"#;
        assert!(run(serde_json::from_str(nameless).unwrap()).is_err());
        let undated = r#"{"person1": {"name": "A", "born": "1815-13-10"}, "person2": {"name": "C", "born": "1791-12-26"}}"#;
        assert!(serde_json::from_str::<Input>(undated).is_err());
    }
}
