//! Where Sun, Moon and planets stood, as seen from the centre of the Earth: apparent ecliptic longitudes of the date, by VSOP87 and ELP as the
//! crate `astro` has them. Good to a minute of arc between 1600 and 2200 (Pluto between 1885 and 2099), which no text here needs better.

use astro::planet::Planet;
use astro::{lunar, nutation, planet, pluto, sun, time};
use chrono::{DateTime, Datelike, Utc};

/// What is looked at. The node is where the Moon's path crosses the Sun's, upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Body {
    Sun,
    Moon,
    Mercury,
    Venus,
    Mars,
    Jupiter,
    Saturn,
    Uranus,
    Neptune,
    Pluto,
    Node,
}

impl Body {
    /// Those that move by themselves.
    pub(super) const PLANETS: [Self; 10] = [
        Self::Sun,
        Self::Moon,
        Self::Mercury,
        Self::Venus,
        Self::Mars,
        Self::Jupiter,
        Self::Saturn,
        Self::Uranus,
        Self::Neptune,
        Self::Pluto,
    ];

    /// In the middle of a sentence.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Sun => "the Sun",
            Self::Moon => "the Moon",
            Self::Mercury => "Mercury",
            Self::Venus => "Venus",
            Self::Mars => "Mars",
            Self::Jupiter => "Jupiter",
            Self::Saturn => "Saturn",
            Self::Uranus => "Uranus",
            Self::Neptune => "Neptune",
            Self::Pluto => "Pluto",
            Self::Node => "the Moon's node",
        }
    }
}

/// The sky at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sky {
    /// Julian day in dynamical time, which knows nothing of how the Earth's rotation slows.
    day: f64,
}

impl Sky {
    pub(super) fn at(moment: DateTime<Utc>) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds of some thousand years are exact"
        )]
        let seconds = moment.timestamp() as f64;
        let universal = seconds / 86_400.0 + 2_440_587.5;
        let month = u8::try_from(moment.month()).unwrap_or(1);
        Self {
            day: universal + time::delta_t(moment.year(), month) / 86_400.0,
        }
    }

    pub(super) fn later(self, days: f64) -> Self {
        Self {
            day: self.day + days,
        }
    }

    /// Centuries since the year 2000.
    pub(super) fn centuries(self) -> f64 {
        time::julian_cent(self.day)
    }

    /// In degrees from the point of spring, 0 to 360.
    pub(super) fn longitude(self, body: Body) -> f64 {
        let (shift, _) = nutation::nutation(self.day);
        let radians = match body {
            Body::Sun => {
                let (point, distance) = sun::geocent_ecl_pos(self.day);
                let (longitude, _) = sun::ecl_coords_to_FK5(self.day, point.long, point.lat);
                longitude + shift - (20.4898 / 3600.0 / distance).to_radians()
            }
            Body::Moon => lunar::geocent_ecl_pos(self.day).0.long + shift,
            Body::Node => lunar::true_ascend_node(self.centuries()) + shift,
            Body::Pluto => self.pluto() + shift,
            Body::Mercury => self.planet(&Planet::Mercury) + shift,
            Body::Venus => self.planet(&Planet::Venus) + shift,
            Body::Mars => self.planet(&Planet::Mars) + shift,
            Body::Jupiter => self.planet(&Planet::Jupiter) + shift,
            Body::Saturn => self.planet(&Planet::Saturn) + shift,
            Body::Uranus => self.planet(&Planet::Uranus) + shift,
            Body::Neptune => self.planet(&Planet::Neptune) + shift,
        };
        radians.to_degrees().rem_euclid(360.0)
    }

    /// Whether it seems to move backwards among the stars.
    pub(super) fn is_retrograde(self, body: Body) -> bool {
        let (before, after) = (self.later(-0.5), self.later(0.5));
        signed(after.longitude(body) - before.longitude(body)) < 0.0
    }

    // Light takes its time, and the Earth moves meanwhile: seen together, both are put right by looking at both a light time ago.
    fn planet(self, body: &Planet) -> f64 {
        let distance = planet::geocent_apprnt_ecl_coords(body, self.day).1;
        let then = self.day - distance * LIGHT_DAYS;
        let (earth, there) = (
            planet::heliocent_coords(&Planet::Earth, then),
            planet::heliocent_coords(body, then),
        );
        planet::geocent_geomet_ecl_coords(earth.0, earth.1, earth.2, there.0, there.1, there.2).0
    }

    fn pluto(self) -> f64 {
        let earth = |day| planet::heliocent_coords(&Planet::Earth, day);
        let seen = |day: f64| {
            let (earth, there) = (earth(day), pluto::heliocent_pos(day));
            // It is given for the equinox of 2000, the Earth for that of the day.
            let moved = (1.396_971_3 * time::julian_cent(day)).to_radians();
            planet::geocent_geomet_ecl_coords(
                earth.0,
                earth.1,
                earth.2,
                there.0 + moved,
                there.1,
                there.2,
            )
        };
        seen(self.day - seen(self.day).2 * LIGHT_DAYS).0
    }
}

/// How long light takes for the distance of the Sun, in days.
const LIGHT_DAYS: f64 = 0.005_775_518_3;

/// An angle as −180 to 180.
pub(super) fn signed(degrees: f64) -> f64 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sky(moment: &str) -> Sky {
        Sky::at(moment.parse().unwrap())
    }

    fn near(found: f64, expected: f64) {
        assert!(
            signed(found - expected).abs() < 0.02,
            "{found} is not {expected}"
        );
    }

    // The examples of Meeus, Astronomical Algorithms: 25.b, 47.a, 33.a. Their times are dynamical: a minute later than universal time then.
    #[test]
    fn positions_are_those_of_the_examples_of_meeus() {
        near(sky("1992-10-12T23:59:01Z").longitude(Body::Sun), 199.906);
        near(sky("1992-04-11T23:59:01Z").longitude(Body::Moon), 133.167);
        near(sky("1992-12-19T23:59:01Z").longitude(Body::Venus), 313.08);
    }

    #[test]
    fn the_sun_enters_the_signs_at_equinoxes_and_solstices() {
        // By the almanac for 2000.
        near(sky("2000-03-20T07:35:00Z").longitude(Body::Sun), 0.0);
        near(sky("2000-06-21T01:48:00Z").longitude(Body::Sun), 90.0);
        near(sky("2000-12-21T13:37:00Z").longitude(Body::Sun), 270.0);
    }

    #[test]
    fn new_moon_and_full_moon_are_when_the_almanac_says() {
        let apart = |moment| {
            let sky = sky(moment);
            sky.longitude(Body::Moon) - sky.longitude(Body::Sun)
        };
        near(apart("2000-01-06T18:14:00Z"), 0.0);
        near(apart("2000-01-21T04:40:00Z"), 180.0);
    }

    #[test]
    fn planets_turn_back_when_the_almanac_says() {
        assert!(sky("2020-10-01T00:00:00Z").is_retrograde(Body::Mars));
        assert!(!sky("2021-01-01T00:00:00Z").is_retrograde(Body::Mars));
        assert!(sky("2000-02-28T00:00:00Z").is_retrograde(Body::Mercury));
        assert!(!sky("2000-02-28T00:00:00Z").is_retrograde(Body::Sun));
    }

    #[test]
    fn jupiter_and_saturn_met_on_the_day_of_the_great_conjunction() {
        let sky = sky("2020-12-21T18:20:00Z");
        near(sky.longitude(Body::Jupiter), sky.longitude(Body::Saturn));
        // Pluto stood at 24 degrees of Capricorn.
        assert!((sky.longitude(Body::Pluto) - 294.0).abs() < 0.6);
    }
}
