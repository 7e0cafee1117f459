//! The tropical chart: bodies in signs and houses, and the aspects between them.

use serde::{Deserialize, Serialize};

use crate::angles::{Angles, houses};
use crate::birth::{Birth, BirthError, Moment};
use crate::sky::{Body, Sky};
use crate::zodiac::{Sign, Spot, distance};

/// A body in its place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Which.
    pub body: Body,
    /// Where.
    pub spot: Spot,
    /// Whether it goes backwards.
    pub retrograde: bool,
    /// From 1, where the hour and the place are known.
    pub house: Option<u8>,
}

/// How two bodies look at each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AspectKind {
    /// 0°.
    Conjunction,
    /// 60°.
    Sextile,
    /// 90°.
    Square,
    /// 120°.
    Trine,
    /// 180°.
    Opposition,
}

impl AspectKind {
    const ALL: [(Self, f64, f64); 5] = [
        (Self::Conjunction, 0.0, 8.0),
        (Self::Sextile, 60.0, 4.0),
        (Self::Square, 90.0, 6.0),
        (Self::Trine, 120.0, 6.0),
        (Self::Opposition, 180.0, 7.0),
    ];

    /// In English.
    pub const fn name(self) -> &'static str {
        ["conjunction", "sextile", "square", "trine", "opposition"][self as usize]
    }

    /// The word by which prose is found: together, easy or tense.
    pub const fn tone(self) -> &'static str {
        match self {
            Self::Conjunction => "together",
            Self::Sextile | Self::Trine => "easy",
            Self::Square | Self::Opposition => "tense",
        }
    }

    fn between(one: f64, other: f64, allowance: f64) -> Option<(Self, f64)> {
        let apart = distance(one, other);
        Self::ALL.into_iter().find_map(|(kind, angle, orb)| {
            let off = (apart - angle).abs();
            (off <= orb * allowance).then_some((kind, off))
        })
    }
}

/// An aspect within a chart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Aspect {
    /// The one that comes first in the order of bodies.
    pub one: Body,
    /// The other.
    pub other: Body,
    /// Which.
    pub kind: AspectKind,
    /// How far from exact, in degrees.
    pub orb: f64,
}

/// An aspect from one person's chart to another's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CrossAspect {
    /// In the first chart.
    pub first: Body,
    /// In the second.
    pub second: Body,
    /// Which.
    pub kind: AspectKind,
    /// How far from exact, in degrees.
    pub orb: f64,
}

/// The phase of the Moon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Up to 45° after the Sun.
    New,
    /// Up to 90°.
    Crescent,
    /// Up to 135°.
    FirstQuarter,
    /// Up to 180°.
    Gibbous,
    /// Up to 225°.
    Full,
    /// Up to 270°.
    Disseminating,
    /// Up to 315°.
    LastQuarter,
    /// The rest.
    Balsamic,
}

impl Phase {
    const ALL: [Self; 8] = [
        Self::New,
        Self::Crescent,
        Self::FirstQuarter,
        Self::Gibbous,
        Self::Full,
        Self::Disseminating,
        Self::LastQuarter,
        Self::Balsamic,
    ];

    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "new moon",
            "crescent moon",
            "first quarter",
            "gibbous moon",
            "full moon",
            "disseminating moon",
            "last quarter",
            "balsamic moon",
        ][self as usize]
    }

    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        [
            "new",
            "crescent",
            "first_quarter",
            "gibbous",
            "full",
            "disseminating",
            "last_quarter",
            "balsamic",
        ][self as usize]
    }
}

/// A tropical chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// The moment that it is of.
    pub moment: Moment,
    /// Bodies in their order.
    pub placed: Vec<Placed>,
    /// Where the hour and the place are known.
    pub angles: Option<Angles>,
    /// The closest first.
    pub aspects: Vec<Aspect>,
    /// The phase of the Moon.
    pub phase: Phase,
    /// Whether the Moon was in this sign for the whole day, or the hour is known.
    pub moon_is_certain: bool,
}

impl Chart {
    /// The chart of a birth.
    pub fn of(birth: &Birth) -> Result<Self, BirthError> {
        let moment = birth.moment()?;
        let sky = Sky::new(moment);
        let angles = birth
            .place
            .as_ref()
            .filter(|_| moment.is_timed)
            .map(|place| houses(moment, place));
        let placed: Vec<Placed> = Body::ALL
            .into_iter()
            .map(|body| {
                let spot = sky.spot(body);
                let house = angles.as_ref().map(|angles| angles.house(spot.longitude));
                Placed {
                    body,
                    spot,
                    retrograde: body != Body::NorthNode && sky.is_retrograde(body),
                    house,
                }
            })
            .collect();
        let elongation = (sky.longitude(Body::Moon) - sky.longitude(Body::Sun)).rem_euclid(360.0);
        let moon_at = |days: f64| Sign::of(Sky::new(moment.later(days)).longitude(Body::Moon));
        Ok(Self {
            moment,
            aspects: aspects(&placed),
            moon_is_certain: moment.is_timed || moon_at(-0.5) == moon_at(0.5),
            placed,
            angles,
            phase: Phase::ALL[((elongation / 45.0) as usize).min(7)],
        })
    }

    /// A body of the chart.
    pub fn get(&self, body: Body) -> &Placed {
        &self.placed[body as usize]
    }
}

fn aspects(placed: &[Placed]) -> Vec<Aspect> {
    let mut found = Vec::new();
    for (at, one) in placed.iter().enumerate() {
        for other in &placed[at + 1..] {
            if let Some((kind, orb)) =
                AspectKind::between(one.spot.longitude, other.spot.longitude, 1.0)
            {
                found.push(Aspect {
                    one: one.body,
                    other: other.body,
                    kind,
                    orb: rounded(orb),
                });
            }
        }
    }
    found.sort_by(|one, other| one.orb.total_cmp(&other.orb));
    found
}

/// The aspects from one chart to another, the closest first. Orbs are narrower than within a chart.
pub fn across(first: &Chart, second: &Chart) -> Vec<CrossAspect> {
    let mut found = Vec::new();
    for one in &first.placed {
        for other in &second.placed {
            if let Some((kind, orb)) =
                AspectKind::between(one.spot.longitude, other.spot.longitude, 0.7)
            {
                found.push(CrossAspect {
                    first: one.body,
                    second: other.body,
                    kind,
                    orb: rounded(orb),
                });
            }
        }
    }
    found.sort_by(|one, other| one.orb.total_cmp(&other.orb));
    found
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn birth(date: &str) -> Birth {
        Birth {
            date: date.parse().unwrap(),
            time: None,
            zone: None,
            place: None,
        }
    }

    #[test]
    fn an_eclipse_is_a_conjunction_at_new_moon() {
        let chart = Chart::of(&birth("2017-08-21")).unwrap();
        let met = chart
            .aspects
            .iter()
            .find(|aspect| (aspect.one, aspect.other) == (Body::Sun, Body::Moon))
            .unwrap();
        assert_eq!(met.kind, AspectKind::Conjunction);
        assert_eq!(chart.get(Body::Sun).spot.sign, Sign::Leo);
        assert!(chart.angles.is_none() && chart.get(Body::Sun).house.is_none());
    }

    #[test]
    fn a_chart_meets_itself_in_conjunctions() {
        let chart = Chart::of(&birth("1990-05-05")).unwrap();
        let met = across(&chart, &chart);
        for body in Body::ALL {
            assert!(met.iter().any(|aspect| aspect.first == body
                && aspect.second == body
                && aspect.kind == AspectKind::Conjunction
                && aspect.orb == 0.0));
        }
    }

    #[test]
    fn the_moon_is_certain_unless_it_changed_its_sign_on_the_day() {
        let days = (1..=28).map(|day| Chart::of(&birth(&format!("2001-02-{day:02}"))).unwrap());
        let uncertain = days.filter(|chart| !chart.moon_is_certain).count();
        assert!(
            (11..=13).contains(&uncertain),
            "{uncertain} of 28 days change the sign"
        );
    }
}
