//! The sidereal chart: Lahiri's ayanamsha, nakshatras, the periods of Vimshottari, and how two Moons go together.

use chrono::{Datelike, Duration, NaiveDate};
use serde::{Deserialize, Serialize};

use crate::angles::houses;
use crate::birth::{Birth, BirthError, Moment};
use crate::sky::{Body, Sky, centuries};
use crate::tables::{GANAS, NADIS, NAKSHATRAS, RULERS, YONI_ENEMIES, YONI_NAMES, YONIS};
use crate::zodiac::{Sign, Spot};

/// One of the twenty-seven parts of the zodiac: 13°20′.
const PART: f64 = 360.0 / 27.0;

/// How far the sidereal zodiac is behind the tropical one, by Lahiri, in degrees.
pub fn ayanamsha(moment: Moment) -> f64 {
    let t = centuries(moment.dynamical);
    23.857_092 + (5029.0966 * t + 1.1116 * t * t) / 3600.0
}

/// A body in the sidereal zodiac.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SiderealPlace {
    /// Which. The north node is Rahu.
    pub body: Body,
    /// Where.
    pub spot: Spot,
    /// From 0, see [`SiderealPlace::nakshatra_name`].
    pub nakshatra: u8,
    /// The quarter of the nakshatra, from 1.
    pub pada: u8,
    /// Counted in whole signs from the rising one, where that is known.
    pub house: Option<u8>,
}

/// One of the great periods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// Who rules it, see [`Period::ruler_name`].
    pub ruler: u8,
    /// Its first day; of the first period the day of birth.
    pub begins: NaiveDate,
    /// The first day of the next.
    pub ends: NaiveDate,
}

/// A sidereal chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiderealChart {
    /// In degrees.
    pub ayanamsha: f64,
    /// Sun, Moon, the five planets and the node.
    pub places: Vec<SiderealPlace>,
    /// The rising sign's degree.
    pub lagna: Option<Spot>,
    /// The great periods of a hundred and twenty years; none where the hour is not known, because a day shifts them by years.
    pub periods: Vec<Period>,
    /// Whether the Moon's nakshatra was the same for the whole day, or the hour is known.
    pub moon_is_certain: bool,
    /// The lunar day, 1 to 30; from 16 on the Moon wanes.
    pub tithi: u8,
    /// Of Sun to Saturn, the one that has gone farthest in its sign.
    pub soul_planet: Body,
}

/// The temper of a nakshatra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gana {
    /// Gentle.
    Deva,
    /// Human.
    Manushya,
    /// Fierce.
    Rakshasa,
}

/// The constitution of a nakshatra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nadi {
    /// The first.
    Adi,
    /// The middle.
    Madhya,
    /// The last.
    Antya,
}

/// How two Moons go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kutas {
    /// The tempers of both.
    pub ganas: (Gana, Gana),
    /// Whether the tempers agree well.
    pub gana_agrees: bool,
    /// The constitutions of both; tradition wants them to differ.
    pub nadis: (Nadi, Nadi),
    /// The animals of both.
    pub yonis: (u8, u8),
    /// Whether the animals are sworn enemies.
    pub yoni_enemies: bool,
    /// From the first Moon's sign to the second's, counted with both, 1 to 12.
    pub moon_distance: u8,
    /// Whether that distance is one that tradition warns of.
    pub bhakoot_warns: bool,
    /// The remainder of the count of nakshatras from each to the other, 1 to 9.
    pub taras: (u8, u8),
}

impl SiderealChart {
    /// The sidereal chart of a birth.
    pub fn of(birth: &Birth) -> Result<Self, BirthError> {
        let moment = birth.moment()?;
        let sky = Sky::new(moment);
        // The mean equinox: the zodiac of the stars knows no nutation.
        let offset = ayanamsha(moment) + sky.nutation_in_degrees();
        let lagna = birth
            .place
            .as_ref()
            .filter(|_| moment.is_timed)
            .map(|place| Spot::at(houses(moment, place).ascendant.longitude - offset));
        let bodies = Body::ALL
            .into_iter()
            .filter(|body| !matches!(body, Body::Uranus | Body::Neptune | Body::Pluto));
        let places: Vec<SiderealPlace> = bodies
            .map(|body| sidereal(body, sky.longitude(body) - offset, lagna))
            .collect();
        let moon_at = |days: f64| {
            let later = moment.later(days);
            nakshatra(Sky::new(later).longitude(Body::Moon) - offset).0
        };
        let moon = places[1].spot.longitude;
        let elongation = (moon - places[0].spot.longitude).rem_euclid(360.0);
        let soul_planet = places[..7]
            .iter()
            .max_by(|one, other| {
                (one.spot.longitude % 30.0).total_cmp(&(other.spot.longitude % 30.0))
            })
            .map_or(Body::Sun, |place| place.body);
        Ok(Self {
            ayanamsha: (offset * 10_000.0).round() / 10_000.0,
            lagna,
            periods: if moment.is_timed {
                periods(birth.date, moon)
            } else {
                Vec::new()
            },
            moon_is_certain: moment.is_timed || moon_at(-0.5) == moon_at(0.5),
            tithi: ((elongation / 12.0) as u8).min(29) + 1,
            soul_planet,
            places,
        })
    }

    /// The Moon.
    pub fn moon(&self) -> &SiderealPlace {
        &self.places[1]
    }
}

impl SiderealPlace {
    /// The name of its nakshatra.
    pub fn nakshatra_name(&self) -> &'static str {
        NAKSHATRAS[usize::from(self.nakshatra)]
    }

    /// The name as almanacs of India have it: the node is Rahu.
    pub const fn name(&self) -> &'static str {
        match self.body {
            Body::NorthNode => "Rahu",
            body => body.in_sentence(),
        }
    }

    /// The name without an article.
    pub const fn bare_name(&self) -> &'static str {
        match self.body {
            Body::NorthNode => "Rahu",
            body => body.name(),
        }
    }

    /// The rulers of the great periods, from the one of this nakshatra on.
    pub fn rulers_from_here(&self) -> [&'static str; 9] {
        std::array::from_fn(|step| RULERS[(usize::from(self.nakshatra) + step) % 9].0)
    }

    /// Who rules its nakshatra.
    pub fn ruler_name(&self) -> &'static str {
        RULERS[usize::from(self.nakshatra) % 9].0
    }
}

impl Period {
    /// Who rules it.
    pub fn ruler_name(&self) -> &'static str {
        RULERS[usize::from(self.ruler)].0
    }
}

impl Kutas {
    /// The animals' names.
    pub fn yoni_names(&self) -> (&'static str, &'static str) {
        (
            YONI_NAMES[usize::from(self.yonis.0)],
            YONI_NAMES[usize::from(self.yonis.1)],
        )
    }
}

fn nakshatra(longitude: f64) -> (u8, f64) {
    let parts = longitude.rem_euclid(360.0) / PART;
    ((parts as u8).min(26), parts.fract())
}

fn sidereal(body: Body, longitude: f64, lagna: Option<Spot>) -> SiderealPlace {
    let (nakshatra, gone) = nakshatra(longitude);
    let spot = Spot::at(longitude);
    let house = lagna.map(|lagna| ((spot.sign.index() + 12 - lagna.sign.index()) % 12) as u8 + 1);
    SiderealPlace {
        body,
        spot,
        nakshatra,
        pada: (gone * 4.0) as u8 + 1,
        house,
    }
}

// The ruler of the Moon's nakshatra begins, with what is left of it.
fn periods(born: NaiveDate, moon: f64) -> Vec<Period> {
    let (nakshatra, gone) = nakshatra(moon);
    let mut begins = born;
    let mut left = 1.0 - gone;
    let mut periods = Vec::with_capacity(9);
    for step in 0..9 {
        let ruler = (nakshatra + step) % 9;
        let days = RULERS[usize::from(ruler)].1 * left * 365.25;
        let ends = begins
            .checked_add_signed(Duration::days(days.round() as i64))
            .unwrap_or(begins);
        periods.push(Period {
            ruler,
            begins,
            ends,
        });
        begins = ends;
        left = 1.0;
    }
    periods
}

/// How two Moons go together.
pub fn kutas(first: &SiderealChart, second: &SiderealChart) -> Kutas {
    let (one, other) = (first.moon(), second.moon());
    let (a, b) = (usize::from(one.nakshatra), usize::from(other.nakshatra));
    let moon_distance = steps(one.spot.sign, other.spot.sign);
    let count = |from: usize, to: usize| ((to + 27 - from) % 27 % 9) as u8 + 1;
    let (yoni, other_yoni) = (YONIS[a], YONIS[b]);
    Kutas {
        ganas: (GANAS[a], GANAS[b]),
        gana_agrees: GANAS[a] == GANAS[b]
            || (GANAS[a] != Gana::Rakshasa && GANAS[b] != Gana::Rakshasa),
        nadis: (NADIS[a], NADIS[b]),
        yonis: (yoni, other_yoni),
        yoni_enemies: YONI_ENEMIES.contains(&(yoni.min(other_yoni), yoni.max(other_yoni))),
        moon_distance,
        bhakoot_warns: matches!(moon_distance, 2 | 5 | 6 | 8 | 9 | 12),
        taras: (count(a, b), count(b, a)),
    }
}

fn steps(from: Sign, to: Sign) -> u8 {
    ((to.index() + 12 - from.index()) % 12) as u8 + 1
}

impl Period {
    /// How old somebody is when it begins, in whole years.
    pub fn age_at_begin(&self, born: NaiveDate) -> i32 {
        let years = self.begins.year() - born.year();
        if (self.begins.month(), self.begins.day()) < (born.month(), born.day()) {
            years - 1
        } else {
            years
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveTime;

    fn birth(date: &str, time: Option<&str>) -> Birth {
        Birth {
            date: date.parse().unwrap(),
            time: time.map(|time| NaiveTime::parse_from_str(time, "%H:%M").unwrap()),
            zone: Some("UTC".to_owned()),
            place: None,
        }
    }

    #[test]
    fn lahiris_ayanamsha_has_its_published_values() {
        // 23°51′ in 2000; 22°28′ in 1900; 24°12′ in 2024.
        for (date, published) in [
            ("2000-01-01", 23.857),
            ("1900-01-01", 22.460),
            ("2024-07-01", 24.199),
        ] {
            let ours = ayanamsha(birth(date, None).moment().unwrap());
            assert!((ours - published).abs() < 0.01, "{date}: {ours}");
        }
    }

    #[test]
    fn the_moon_of_noon_of_the_first_of_january_2000_is_in_swati() {
        let chart = SiderealChart::of(&birth("2000-01-01", Some("12:00"))).unwrap();
        // 223.32° less 23.86° is 199.47°: Libra, the fifteenth nakshatra, its fourth quarter.
        let moon = chart.moon();
        assert_eq!(
            (moon.nakshatra_name(), moon.pada, moon.spot.sign),
            ("Swati", 4, Sign::Libra)
        );
        assert_eq!(moon.ruler_name(), "Rahu");
        assert_eq!(chart.periods[0].ruler_name(), "Rahu");
    }

    #[test]
    fn the_periods_follow_each_other_for_a_hundred_and_twenty_years_less_what_was_gone() {
        let chart = SiderealChart::of(&birth("2000-01-01", Some("12:00"))).unwrap();
        assert!(
            chart
                .periods
                .windows(2)
                .all(|pair| pair[0].ends == pair[1].begins)
        );
        let rulers: Vec<_> = chart.periods.iter().map(Period::ruler_name).collect();
        assert_eq!(
            rulers,
            [
                "Rahu", "Jupiter", "Saturn", "Mercury", "Ketu", "Venus", "Sun", "Moon", "Mars"
            ]
        );
        let jupiter = &chart.periods[1];
        assert!(((jupiter.ends - jupiter.begins).num_days() - 16 * 365 - 4).abs() <= 1);
        assert_eq!(
            jupiter.age_at_begin("2000-01-01".parse().unwrap()),
            jupiter.begins.year() - 2000
        );
        assert!(
            SiderealChart::of(&birth("2000-01-01", None))
                .unwrap()
                .periods
                .is_empty()
        );
    }

    #[test]
    fn one_moon_agrees_with_itself_in_temper_and_not_in_constitution() {
        let chart = SiderealChart::of(&birth("2000-01-01", Some("12:00"))).unwrap();
        let with_itself = kutas(&chart, &chart);
        assert!(with_itself.gana_agrees && !with_itself.yoni_enemies && !with_itself.bhakoot_warns);
        assert_eq!(with_itself.nadis.0, with_itself.nadis.1);
        assert_eq!((with_itself.moon_distance, with_itself.taras), (1, (1, 1)));
    }
}
