//! What has been calculated about two people.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use gristmill_almanac::{Birth, BirthError, Bodygraph, Chart, Numbers, Pillars, SiderealChart};
use serde::{Deserialize, Serialize};

/// A way of looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    /// The tropical chart.
    Western,
    /// The sidereal chart.
    Vedic,
    /// The bodygraph.
    HumanDesign,
    /// Numbers of dates and names.
    Numerology,
    /// The four pillars.
    Chinese,
    /// All that was calculated, together.
    Verdict,
}

impl System {
    /// All that calculate something.
    pub const ALL: [Self; 5] = [
        Self::Western,
        Self::Vedic,
        Self::HumanDesign,
        Self::Numerology,
        Self::Chinese,
    ];

    /// The system of a name. The names of the first version of the workflow are read as those that took their place.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "western" | "seasons" | "distances" => Self::Western,
            "vedic" => Self::Vedic,
            "human_design" => Self::HumanDesign,
            "numerology" | "numbers" | "letters" => Self::Numerology,
            "chinese" | "calendar" => Self::Chinese,
            "verdict" => Self::Verdict,
            _ => return None,
        })
    }

    pub(crate) const fn in_words(self) -> &'static str {
        [
            "the western chart",
            "the vedic chart",
            "human design",
            "numerology",
            "the chinese pillars",
            "all of it",
        ][self as usize]
    }
}

/// A person with everything that was calculated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// The whole name.
    pub name: String,
    /// When and where.
    pub birth: Birth,
    /// The tropical chart.
    pub western: Option<Chart>,
    /// The sidereal chart.
    pub vedic: Option<SiderealChart>,
    /// The bodygraph.
    pub human_design: Option<Bodygraph>,
    /// Numbers of the date and the name.
    pub numerology: Option<Numbers>,
    /// The four pillars.
    pub chinese: Option<Pillars>,
}

/// Two people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The first.
    pub person1: Person,
    /// The second.
    pub person2: Person,
}

impl Person {
    /// Calculates what the systems ask for.
    pub fn calculate(
        name: &str,
        birth: Birth,
        systems: &BTreeSet<System>,
    ) -> Result<Self, BirthError> {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let has = |system| systems.contains(&system);
        Ok(Self {
            western: has(System::Western)
                .then(|| Chart::of(&birth))
                .transpose()?,
            vedic: has(System::Vedic)
                .then(|| SiderealChart::of(&birth))
                .transpose()?,
            human_design: has(System::HumanDesign)
                .then(|| Bodygraph::of(&birth))
                .transpose()?,
            numerology: has(System::Numerology).then(|| Numbers::of(&name, birth.date)),
            chinese: has(System::Chinese)
                .then(|| Pillars::of(&birth))
                .transpose()?,
            name,
            birth,
        })
    }

    pub(crate) fn date(&self) -> String {
        day(self.birth.date)
    }
}

impl Facts {
    /// What the prose calls them: by the first name, as long as that tells them apart.
    pub(crate) fn called(&self) -> (String, String) {
        let first = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
        let (one, other) = (first(&self.person1.name), first(&self.person2.name));
        let is_name = |name: &str| name.chars().count() > 1 && !name.ends_with('.');
        match () {
            () if one != other && is_name(&one) && is_name(&other) => (one, other),
            () if self.person1.name != self.person2.name => {
                (self.person1.name.clone(), self.person2.name.clone())
            }
            () => (format!("the first {one}"), format!("the second {other}")),
        }
    }

    /// The systems of which there is something for both.
    pub(crate) fn systems(&self) -> Vec<System> {
        let (one, other) = (&self.person1, &self.person2);
        let both = |system: &System| match system {
            System::Western => one.western.is_some() && other.western.is_some(),
            System::Vedic => one.vedic.is_some() && other.vedic.is_some(),
            System::HumanDesign => one.human_design.is_some() && other.human_design.is_some(),
            System::Numerology => one.numerology.is_some() && other.numerology.is_some(),
            System::Chinese => one.chinese.is_some() && other.chinese.is_some(),
            System::Verdict => false,
        };
        System::ALL.into_iter().filter(both).collect()
    }
}

/// "10 December 1815".
pub(crate) fn day(date: NaiveDate) -> String {
    date.format("%-d %B %Y").to_string()
}
