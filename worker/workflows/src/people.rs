//! People, as a caller gives them, and what is calculated of them.

use std::collections::BTreeSet;

use chrono::{NaiveDate, NaiveTime};
use gristmill_almanac::{Birth, Place};
use gristmill_chapters::{Facts, System};
use serde::{Deserialize, Deserializer};

use super::TaskError;

/// A person, as the caller gives it.
#[derive(Debug, Deserialize)]
pub(super) struct Person {
    name: String,
    pub(super) born: NaiveDate,
    #[serde(default, deserialize_with = "time")]
    time: Option<NaiveTime>,
    #[serde(default)]
    zone: Option<String>,
    #[serde(default)]
    place: Option<Place>,
}

// Hours and minutes; with seconds, these too.
fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NaiveTime>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else {
        return Ok(None);
    };
    let read = ["%H:%M", "%H:%M:%S"]
        .into_iter()
        .find_map(|form| NaiveTime::parse_from_str(&text, form).ok());
    read.map(Some)
        .ok_or_else(|| serde::de::Error::custom("a time of birth is written as 08:30"))
}

impl Person {
    /// A person of whom only this is known.
    pub(super) const fn plain(name: String, born: NaiveDate) -> Self {
        Self {
            name,
            born,
            time: None,
            zone: None,
            place: None,
        }
    }

    /// The name.
    pub(super) fn name(&self) -> Result<&str, TaskError> {
        let name = self.name.trim();
        match name.is_empty() || name.chars().count() > 100 {
            true => Err(TaskError::Input(
                "a name has 1 to 100 characters".to_owned(),
            )),
            false => Ok(name),
        }
    }

    fn calculate(
        &self,
        which: &str,
        systems: &BTreeSet<System>,
    ) -> Result<gristmill_chapters::Person, TaskError> {
        let birth = Birth {
            date: self.born,
            time: self.time,
            zone: self.zone.clone(),
            place: self.place.clone(),
        };
        gristmill_chapters::Person::calculate(self.name()?, birth, systems)
            .map_err(|error| TaskError::Input(format!("{which}: {error}")))
    }
}

/// Everything that the systems ask for.
pub(super) fn calculate(
    one: &Person,
    other: &Person,
    systems: &BTreeSet<System>,
) -> Result<Facts, TaskError> {
    Ok(Facts {
        person1: one.calculate("person1", systems)?,
        person2: other.calculate("person2", systems)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_with_or_without_seconds_and_nothing_else_is() {
        let person = |time: &str| {
            serde_json::from_str::<Person>(&format!(
                r#"{{"name": "A", "born": "1990-01-01", "time": {time}, "zone": "+01:00"}}"#
            ))
        };
        assert!(
            person("\"08:30\"").unwrap().time.is_some()
                && person("\"08:30:15\"").is_ok()
                && person("null").unwrap().time.is_none()
        );
        assert!(person("\"half past eight\"").is_err());
    }

    #[test]
    fn a_zone_that_nobody_knows_is_refused_with_the_person() {
        let mut person = Person::plain("A".to_owned(), "1990-01-01".parse().unwrap());
        person.time = NaiveTime::from_hms_opt(8, 30, 0);
        person.zone = Some("Mars/Olympus".to_owned());
        let other = Person::plain("B".to_owned(), "1990-01-01".parse().unwrap());
        let refused = calculate(&other, &person, &[System::Western].into()).unwrap_err();
        assert!(
            refused.to_string().contains("person2: the time zone"),
            "{refused}"
        );
    }
}
