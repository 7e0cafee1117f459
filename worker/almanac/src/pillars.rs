//! The four pillars: year, month, day and hour in stems and branches. Years and months begin where the Sun says so.

use chrono::{Datelike, Duration, NaiveDate, Timelike};
use serde::{Deserialize, Serialize};

use crate::birth::{Birth, BirthError, julian_day};
use crate::sky::{Body, Sky};

/// The five phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// Growth.
    Wood,
    /// Warmth.
    Fire,
    /// Rest.
    Earth,
    /// Form.
    Metal,
    /// Flow.
    Water,
}

impl Element {
    /// All of them, each feeding the next.
    pub const ALL: [Self; 5] = [
        Self::Wood,
        Self::Fire,
        Self::Earth,
        Self::Metal,
        Self::Water,
    ];

    /// In English.
    pub const fn name(self) -> &'static str {
        ["wood", "fire", "earth", "metal", "water"][self as usize]
    }
}

/// A stem over a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pillar {
    /// 0 to 9, from Jia.
    pub stem: u8,
    /// 0 to 11, from Zi.
    pub branch: u8,
}

impl Pillar {
    fn of(number: i64) -> Self {
        Self {
            stem: number.rem_euclid(10) as u8,
            branch: number.rem_euclid(12) as u8,
        }
    }

    /// Its place in the cycle of sixty, from 0.
    pub fn number(self) -> i32 {
        (0..60)
            .find(|number| {
                number % 10 == i32::from(self.stem) && number % 12 == i32::from(self.branch)
            })
            .unwrap_or(0)
    }

    /// The stem in English: "yang wood".
    pub fn stem_name(self) -> String {
        format!(
            "{} {}",
            if self.is_yang() { "yang" } else { "yin" },
            self.element().name()
        )
    }

    /// Whether the stem is yang.
    pub const fn is_yang(self) -> bool {
        self.stem.is_multiple_of(2)
    }

    /// Of the stem.
    pub const fn element(self) -> Element {
        Element::ALL[(self.stem / 2) as usize]
    }

    /// Of the branch.
    pub const fn branch_element(self) -> Element {
        match self.branch {
            2 | 3 => Element::Wood,
            5 | 6 => Element::Fire,
            8 | 9 => Element::Metal,
            0 | 11 => Element::Water,
            _ => Element::Earth,
        }
    }

    /// The animal of the branch.
    pub const fn animal(self) -> &'static str {
        [
            "Rat", "Ox", "Tiger", "Rabbit", "Dragon", "Snake", "Horse", "Goat", "Monkey",
            "Rooster", "Dog", "Pig",
        ][self.branch as usize]
    }
}

/// The pillars of a birth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pillars {
    /// From the day when the Sun reaches 15° of Aquarius, in the first days of February.
    pub year: Pillar,
    /// From one of the twelve nodes of the Sun's year to the next.
    pub month: Pillar,
    /// Its stem is the day master.
    pub day: Pillar,
    /// Where the hour is known.
    pub hour: Option<Pillar>,
    /// Wood, fire, earth, metal and water among all stems and branches.
    pub counts: [u8; 5],
}

/// How two branches stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Branches {
    /// The same animal.
    Same,
    /// One of the six harmonies.
    Harmony,
    /// Of one triangle.
    Triangle,
    /// Six apart.
    Clash,
    /// One of the six harms.
    Harm,
    /// None of these.
    Plain,
}

impl Branches {
    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        ["same", "harmony", "triangle", "clash", "harm", "plain"][self as usize]
    }
}

impl Pillars {
    /// The pillars of a birth.
    pub fn of(birth: &Birth) -> Result<Self, BirthError> {
        let sun = Sky::new(birth.moment()?).longitude(Body::Sun);
        let year = i64::from(birth.date.year()) - i64::from(is_before_spring(birth.date, sun));
        let months = ((sun - 315.0).rem_euclid(360.0) / 30.0) as i64;
        let year_pillar = Pillar::of(year - 4);
        let month = Pillar {
            stem: ((i64::from(year_pillar.stem) % 5 * 2 + 2 + months) % 10) as u8,
            branch: ((months + 2) % 12) as u8,
        };
        // From eleven in the evening on it is the next day.
        let late = birth.time.is_some_and(|time| time.hour() == 23);
        let day = Pillar::of(day_number(if late {
            birth.date + Duration::days(1)
        } else {
            birth.date
        }));
        let hour = birth.time.map(|time| {
            let branch = (time.hour().div_ceil(2) % 12) as u8;
            Pillar {
                stem: (day.stem % 5 * 2 + branch) % 10,
                branch,
            }
        });
        let all: Vec<Pillar> = [year_pillar, month, day].into_iter().chain(hour).collect();
        let mut counts = [0; 5];
        for pillar in &all {
            counts[pillar.element() as usize] += 1;
            counts[pillar.branch_element() as usize] += 1;
        }
        Ok(Self {
            year: year_pillar,
            month,
            day,
            hour,
            counts,
        })
    }

    /// The elements that nothing stands for.
    pub fn missing(&self) -> Vec<Element> {
        Element::ALL
            .into_iter()
            .filter(|element| self.counts[*element as usize] == 0)
            .collect()
    }

    /// The element that most stands for.
    pub fn strongest(&self) -> Element {
        Element::ALL
            .into_iter()
            .rev()
            .max_by_key(|element| self.counts[*element as usize])
            .unwrap_or(Element::Earth)
    }
}

// In January and the first days of February the old year still runs.
fn is_before_spring(date: NaiveDate, sun: f64) -> bool {
    date.month() <= 2 && (270.0..315.0).contains(&sun)
}

fn day_number(date: NaiveDate) -> i64 {
    (julian_day(date) + 0.5) as i64 + 49
}

/// How two branches stand to each other.
pub fn between_branches(one: Pillar, other: Pillar) -> Branches {
    let (a, b) = (one.branch.min(other.branch), one.branch.max(other.branch));
    match (a, b) {
        _ if a == b => Branches::Same,
        (0, 1) | (2, 11) | (3, 10) | (4, 9) | (5, 8) | (6, 7) => Branches::Harmony,
        _ if b - a == 6 => Branches::Clash,
        _ if (b - a) % 4 == 0 => Branches::Triangle,
        (0, 7) | (1, 6) | (2, 5) | (3, 4) | (8, 11) | (9, 10) => Branches::Harm,
        _ => Branches::Plain,
    }
}

/// How the second element stands to the first: "same", "fed" by it, "feeds" it, "ruled" by it, or "rules" it.
pub fn between_elements(first: Element, second: Element) -> &'static str {
    match (second as u8 + 5 - first as u8) % 5 {
        0 => "same",
        1 => "fed",
        2 => "ruled",
        3 => "rules",
        _ => "feeds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveTime;

    fn of(date: &str, time: Option<&str>) -> Pillars {
        Pillars::of(&Birth {
            date: date.parse().unwrap(),
            time: time.map(|time| NaiveTime::parse_from_str(time, "%H:%M").unwrap()),
            zone: Some("+08:00".to_owned()),
            place: None,
        })
        .unwrap()
    }

    #[test]
    fn known_days_have_their_pillars() {
        // 1 January 2000: Ji Mao, Bing Zi, Wu Wu. At noon: Wu Wu again.
        let day = of("2000-01-01", Some("12:00"));
        assert_eq!(
            (day.year, day.month, day.day),
            (
                Pillar { stem: 5, branch: 3 },
                Pillar { stem: 2, branch: 0 },
                Pillar { stem: 4, branch: 6 }
            )
        );
        assert_eq!(day.hour, Some(Pillar { stem: 4, branch: 6 }));
        // 2 February 1984 was still the year of the Pig, 5 February that of the Rat: Jia Zi.
        assert_eq!(of("1984-02-02", None).year.animal(), "Pig");
        assert_eq!(of("1984-02-05", None).year, Pillar { stem: 0, branch: 0 });
        assert_eq!(of("1984-02-05", None).year.stem_name(), "yang wood");
        // 1 October 1949: Ji Chou, Gui You, Jia Zi.
        let day = of("1949-10-01", None);
        assert_eq!(
            (day.year, day.month, day.day),
            (
                Pillar { stem: 5, branch: 1 },
                Pillar { stem: 9, branch: 9 },
                Pillar { stem: 0, branch: 0 }
            )
        );
        assert_eq!(day.hour, None);
    }

    #[test]
    fn eleven_in_the_evening_belongs_to_the_next_day() {
        assert_eq!(
            of("2000-01-01", Some("23:30")).day,
            of("2000-01-02", None).day
        );
        assert_eq!(of("2000-01-01", Some("23:30")).hour.unwrap().branch, 0);
        assert_eq!(of("2000-01-01", Some("22:30")).hour.unwrap().branch, 11);
    }

    #[test]
    fn elements_are_counted_over_all_pillars() {
        let timed = of("1990-06-15", Some("10:00"));
        assert_eq!(timed.counts.iter().sum::<u8>(), 8);
        assert_eq!(of("1990-06-15", None).counts.iter().sum::<u8>(), 6);
        assert!(
            timed
                .missing()
                .iter()
                .all(|element| timed.counts[*element as usize] == 0)
        );
        assert_eq!(
            timed.counts[timed.strongest() as usize],
            *timed.counts.iter().max().unwrap()
        );
    }

    #[test]
    fn animals_and_elements_know_each_other() {
        let branch = |branch| Pillar { stem: 0, branch };
        assert_eq!(between_branches(branch(0), branch(6)), Branches::Clash);
        assert_eq!(between_branches(branch(1), branch(0)), Branches::Harmony);
        assert_eq!(between_branches(branch(0), branch(8)), Branches::Triangle);
        assert_eq!(between_branches(branch(8), branch(11)), Branches::Harm);
        assert_eq!(between_branches(branch(5), branch(5)), Branches::Same);
        assert_eq!(between_elements(Element::Wood, Element::Fire), "fed");
        assert_eq!(between_elements(Element::Wood, Element::Water), "feeds");
        assert_eq!(between_elements(Element::Wood, Element::Metal), "rules");
        assert_eq!(between_elements(Element::Wood, Element::Earth), "ruled");
    }
}
