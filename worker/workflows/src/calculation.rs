//! `calculation`: what the systems work out from names and births. The texts are then about it.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TaskError;
use super::systems::Subject;

/// The years for which positions are known to be good.
const YEARS: std::ops::RangeInclusive<i32> = 1600..=2200;

/// When somebody was born: a day, or a moment with its offset from Greenwich.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
struct Born {
    given: String,
    date: NaiveDate,
    moment: Option<DateTime<FixedOffset>>,
}

impl TryFrom<String> for Born {
    type Error = String;

    fn try_from(given: String) -> Result<Self, String> {
        let moment = DateTime::parse_from_rfc3339(&given).ok();
        let date = moment.map_or_else(
            || given.parse::<NaiveDate>().ok(),
            |moment| Some(moment.date_naive()),
        );
        match date {
            Some(date) if YEARS.contains(&date.year()) => Ok(Self { given, date, moment }),
            _ => Err("born is a day as 1990-05-17 or a moment as 1990-05-17T14:30:00+02:00, between the years 1600 and 2200".to_owned()),
        }
    }
}

impl From<Born> for String {
    fn from(born: Born) -> Self {
        born.given
    }
}

/// A person, as the caller gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Person {
    name: String,
    born: Born,
}

impl Person {
    pub(super) fn subject(&self) -> Subject {
        Subject::new(
            self.name.clone(),
            self.born.date,
            self.born.moment.map(|moment| moment.with_timezone(&Utc)),
        )
    }
}

/// The input. Texts read it back out of the facts, and work the rest out again: that takes a moment, and fits also the facts of an earlier release.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct People {
    pub(super) person1: Person,
    pub(super) person2: Person,
}

#[derive(Debug, Serialize)]
struct Facts {
    #[serde(flatten)]
    person: Person,
    systems: Value,
}

#[derive(Debug, Serialize)]
struct Between {
    days: i64,
}

#[derive(Debug, Serialize)]
struct AllFacts {
    person1: Facts,
    person2: Facts,
    between: Between,
}

/// The result.
#[derive(Debug, Serialize)]
pub(super) struct Calculated {
    facts: AllFacts,
}

pub(super) fn run(input: People) -> Result<Calculated, TaskError> {
    let between = Between {
        days: (input.person1.born.date - input.person2.born.date)
            .num_days()
            .abs(),
    };
    Ok(Calculated {
        facts: AllFacts {
            person1: facts(input.person1)?,
            person2: facts(input.person2)?,
            between,
        },
    })
}

fn facts(mut person: Person) -> Result<Facts, TaskError> {
    person.name = person.name.split_whitespace().collect::<Vec<_>>().join(" ");
    if person.name.is_empty() || person.name.chars().count() > 100 {
        return Err(TaskError::Input(
            "a name has 1 to 100 characters".to_owned(),
        ));
    }
    Ok(Facts {
        systems: person.subject().facts(),
        person,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn calculated(input: Value) -> Value {
        serde_json::to_value(run(serde_json::from_value(input).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn facts_are_worked_out_from_names_and_dates() {
        let found = calculated(json!({
            "person1": { "name": " Ada ", "born": "1815-12-10" }, "person2": { "name": "Charles", "born": "1791-12-26T12:00:00Z" },
        }));
        let ada = &found["facts"]["person1"];
        assert_eq!(
            (&ada["name"], &ada["born"]),
            (&json!("Ada"), &json!("1815-12-10"))
        );
        let systems = &ada["systems"];
        assert_eq!(systems["calendar"]["weekday"], "Sunday");
        assert_eq!(systems["calendar"]["day_of_year"], 344);
        assert_eq!(systems["western"]["places"]["sun"]["sign"], "Sagittarius");
        assert_eq!(systems["vedic"]["places"][0]["sign"], "Scorpio");
        assert_eq!(systems["numbers"]["expression"], 6); // 1 + 4 + 1
        assert_eq!(found["facts"]["between"]["days"], 8749);
        // Texts read the people back from there.
        assert!(serde_json::from_value::<People>(found["facts"].clone()).is_ok());
    }

    #[test]
    fn a_person_without_a_name_or_with_a_wrong_date_is_refused() {
        let nameless = json!({ "person1": { "name": " ", "born": "1815-12-10" }, "person2": { "name": "C", "born": "1791-12-26" } });
        assert!(run(serde_json::from_value(nameless).unwrap()).is_err());
        for born in ["1815-13-10", "never", "1066-10-14", "1990-05-17T14:30:00"] {
            let person = json!({ "name": "A", "born": born });
            assert!(serde_json::from_value::<Person>(person).is_err(), "{born}");
        }
    }
}
