//! Where the Sun, the Moon, the planets and the lunar node stand, as seen from the centre of the Earth.

use astro::planet::Planet;
use serde::{Deserialize, Serialize};

use crate::birth::Moment;
use crate::zodiac::Spot;

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// The Sun.
    Sun,
    /// The Moon.
    Moon,
    /// Mercury.
    Mercury,
    /// Venus.
    Venus,
    /// Mars.
    Mars,
    /// Jupiter.
    Jupiter,
    /// Saturn.
    Saturn,
    /// Uranus.
    Uranus,
    /// Neptune.
    Neptune,
    /// Pluto.
    Pluto,
    /// Where the Moon's way crosses the ecliptic to the north.
    NorthNode,
}

impl Body {
    /// All of them, in their order.
    pub const ALL: [Self; 11] = [
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
        Self::NorthNode,
    ];

    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "Sun",
            "Moon",
            "Mercury",
            "Venus",
            "Mars",
            "Jupiter",
            "Saturn",
            "Uranus",
            "Neptune",
            "Pluto",
            "North Node",
        ][self as usize]
    }

    /// The name as it stands in a sentence.
    pub const fn in_sentence(self) -> &'static str {
        [
            "the Sun",
            "the Moon",
            "Mercury",
            "Venus",
            "Mars",
            "Jupiter",
            "Saturn",
            "Uranus",
            "Neptune",
            "Pluto",
            "the North Node",
        ][self as usize]
    }

    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        [
            "sun", "moon", "mercury", "venus", "mars", "jupiter", "saturn", "uranus", "neptune",
            "pluto", "node",
        ][self as usize]
    }

    const fn planet(self) -> Option<Planet> {
        Some(match self {
            Self::Mercury => Planet::Mercury,
            Self::Venus => Planet::Venus,
            Self::Mars => Planet::Mars,
            Self::Jupiter => Planet::Jupiter,
            Self::Saturn => Planet::Saturn,
            Self::Uranus => Planet::Uranus,
            Self::Neptune => Planet::Neptune,
            _ => return None,
        })
    }
}

/// The sky of one moment.
#[derive(Debug, Clone, Copy)]
pub struct Sky {
    day: f64,
    nutation: f64,
    /// Longitude of the Earth seen from the Sun and its distance, of the equinox of date.
    earth: (f64, f64),
}

impl Sky {
    /// The sky of a moment.
    pub fn new(moment: Moment) -> Self {
        Self::on(moment.dynamical)
    }

    fn on(day: f64) -> Self {
        let (longitude, _, distance) = astro::planet::heliocent_coords(&Planet::Earth, day);
        Self {
            day,
            nutation: astro::nutation::nutation(day).0,
            earth: (longitude, distance),
        }
    }

    /// The apparent longitude, in degrees of the ecliptic of date.
    pub fn longitude(&self, body: Body) -> f64 {
        let seen = match body {
            Body::Sun => self.earth.0 + std::f64::consts::PI - aberration_of_the_sun(self.earth.1),
            // The series of the Moon has its light-time in it.
            Body::Moon => astro::lunar::geocent_ecl_pos(self.day).0.long,
            Body::NorthNode => return true_node(self.day),
            Body::Pluto => self.with_aberration(self.pluto()),
            _ => body.planet().map_or(0.0, |planet| {
                self.with_aberration(
                    astro::planet::geocent_apprnt_ecl_coords(&planet, self.day)
                        .0
                        .long,
                )
            }),
        };
        (seen + self.nutation).to_degrees().rem_euclid(360.0)
    }

    /// The place of a body in the tropical zodiac.
    pub fn spot(&self, body: Body) -> Spot {
        Spot::at(self.longitude(body))
    }

    /// Whether a body goes backwards among the stars.
    pub fn is_retrograde(&self, body: Body) -> bool {
        let (before, after) = (Self::on(self.day - 0.25), Self::on(self.day + 0.25));
        let moved =
            (after.longitude(body) - before.longitude(body) + 540.0).rem_euclid(360.0) - 180.0;
        moved < 0.0
    }

    /// The nutation in longitude, in degrees.
    pub(crate) fn nutation_in_degrees(&self) -> f64 {
        self.nutation.to_degrees()
    }

    fn with_aberration(&self, longitude: f64) -> f64 {
        let sun = self.earth.0 + std::f64::consts::PI;
        longitude - (20.495_52_f64 / 3600.0).to_radians() * (sun - longitude).cos()
    }

    // Meeus' series is good from 1885 to 2099. Outside of it the mean orbit of the tables of JPL is taken, which agrees with
    // the series to a few hundredths of a degree where both hold.
    fn pluto(&self) -> f64 {
        let precession = (5029.0966_f64 / 3600.0).to_radians() * centuries(self.day);
        let (earth, radius) = (self.earth.0 - precession, self.earth.1);
        let mut light_days = 0.0;
        let mut longitude = 0.0;
        for _ in 0..2 {
            let (x, y, z) = pluto_around_the_sun(self.day - light_days);
            let (x, y) = (x - radius * earth.cos(), y - radius * earth.sin());
            longitude = y.atan2(x);
            light_days = 0.005_775_518_3 * (x * x + y * y + z * z).sqrt();
        }
        longitude + precession
    }
}

fn aberration_of_the_sun(distance: f64) -> f64 {
    (20.4898_f64 / 3600.0 / distance).to_radians()
}

pub(crate) fn centuries(day: f64) -> f64 {
    (day - 2_451_545.0) / 36_525.0
}

fn true_node(day: f64) -> f64 {
    let t = centuries(day);
    let degrees = |constant: f64, rate: f64| (constant + rate * t).rem_euclid(360.0).to_radians();
    let elongation = degrees(297.850_192_1, 445_267.111_403_4);
    let sun = degrees(357.529_109_2, 35_999.050_290_9);
    let moon = degrees(134.963_396_4, 477_198.867_505_5);
    let latitude = degrees(93.272_095_0, 483_202.017_523_3);
    let mean = 125.044_547_9 - 1_934.136_289_1 * t + 0.002_075_4 * t * t;
    let periodic = -1.4979 * (2.0 * (elongation - latitude)).sin()
        - 0.1500 * sun.sin()
        - 0.1226 * (2.0 * elongation).sin()
        + 0.1176 * (2.0 * latitude).sin()
        - 0.0801 * (2.0 * (moon - latitude)).sin();
    (mean + periodic).rem_euclid(360.0)
}

// In the ecliptic of J2000, in astronomical units.
fn pluto_around_the_sun(day: f64) -> (f64, f64, f64) {
    if (2_409_543.0..2_488_070.0).contains(&day) {
        let (longitude, latitude, radius) = astro::pluto::heliocent_pos(day);
        let flat = radius * latitude.cos();
        return (
            flat * longitude.cos(),
            flat * longitude.sin(),
            radius * latitude.sin(),
        );
    }
    pluto_on_its_mean_orbit(day)
}

fn pluto_on_its_mean_orbit(day: f64) -> (f64, f64, f64) {
    let t = centuries(day);
    let axis = 39.482_116_75 - 0.000_315_96 * t;
    let eccentricity = 0.248_827_30 + 0.000_051_70 * t;
    let inclination = (17.140_012_06 + 0.000_048_18 * t).to_radians();
    let mean_longitude = 238.929_038_33 + 145.207_805_15 * t;
    let perihelion = 224.068_916_29 - 0.040_629_42 * t;
    let node = (110.303_936_84 - 0.011_834_82 * t).to_radians();
    let anomaly = (mean_longitude - perihelion).to_radians();
    let mut eccentric = anomaly;
    for _ in 0..30 {
        eccentric -= (eccentric - eccentricity * eccentric.sin() - anomaly)
            / (1.0 - eccentricity * eccentric.cos());
    }
    let x = axis * (eccentric.cos() - eccentricity);
    let y = axis * (1.0 - eccentricity * eccentricity).sqrt() * eccentric.sin();
    let argument = perihelion.to_radians() - node;
    let (u, v) = (
        x * argument.cos() - y * argument.sin(),
        x * argument.sin() + y * argument.cos(),
    );
    (
        u * node.cos() - v * node.sin() * inclination.cos(),
        u * node.sin() + v * node.cos() * inclination.cos(),
        v * inclination.sin(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zodiac::distance;
    use chrono::NaiveDate;

    fn at(year: i32, month: u32, day: u32, hour: u32, minute: u32) -> Sky {
        let time = NaiveDate::from_ymd_opt(year, month, day)
            .unwrap()
            .and_hms_opt(hour, minute, 0)
            .unwrap();
        Sky::new(Moment::at(time, true))
    }

    #[test]
    fn positions_of_noon_of_the_first_of_january_2000_are_the_published_ones() {
        let sky = at(2000, 1, 1, 12, 0);
        for (body, published) in [
            (Body::Sun, 280.369),
            (Body::Moon, 223.324),
            (Body::Mercury, 271.889),
            (Body::Venus, 241.566),
            (Body::Mars, 327.963),
            (Body::Jupiter, 25.253),
            (Body::Saturn, 40.396),
            (Body::Uranus, 314.809),
            (Body::Neptune, 303.193),
            (Body::Pluto, 251.455),
        ] {
            let ours = sky.longitude(body);
            assert!(
                distance(ours, published) < 0.01,
                "{body:?} {ours}, published {published}"
            );
        }
        // The node wobbles by more terms than are taken here.
        assert!(distance(sky.longitude(Body::NorthNode), 123.953) < 0.05);
    }

    #[test]
    fn the_sun_is_where_a_season_begins_when_it_begins() {
        // Equinoxes and solstices in UTC, as almanacs publish them to the minute.
        for (when, longitude) in [
            ((2000, 3, 20, 7, 35), 0.0),
            ((2020, 3, 20, 3, 50), 0.0),
            ((2024, 3, 20, 3, 6), 0.0),
            ((2020, 6, 20, 21, 44), 90.0),
            ((2023, 9, 23, 6, 50), 180.0),
            ((2024, 12, 21, 9, 20), 270.0),
            ((1999, 12, 22, 7, 44), 270.0),
        ] {
            let (year, month, day, hour, minute) = when;
            let ours = at(year, month, day, hour, minute).longitude(Body::Sun);
            assert!(distance(ours, longitude) < 0.002, "{when:?}: {ours}");
        }
    }

    #[test]
    fn sun_and_moon_meet_at_an_eclipse_of_the_sun_and_stand_opposite_at_one_of_the_moon() {
        for (year, month, day, hour, minute) in [
            (2017, 8, 21, 18, 26),
            (2024, 4, 8, 18, 21),
            (1999, 8, 11, 11, 3),
            (2023, 10, 14, 17, 55),
        ] {
            let sky = at(year, month, day, hour, minute);
            let apart = distance(sky.longitude(Body::Sun), sky.longitude(Body::Moon));
            assert!(apart < 0.1, "{year}-{month}-{day}: {apart}");
        }
        for (year, month, day, hour, minute) in [
            (2018, 7, 27, 20, 22),
            (2022, 11, 8, 10, 59),
            (2019, 1, 21, 5, 12),
        ] {
            let sky = at(year, month, day, hour, minute);
            let apart = distance(sky.longitude(Body::Sun), sky.longitude(Body::Moon));
            assert!(apart > 179.5, "{year}-{month}-{day}: {apart}");
        }
    }

    #[test]
    fn great_conjunctions_fall_on_their_days() {
        // Jupiter and Saturn met on 21 December 2020 at 0°29′ of Aquarius.
        let sky = at(2020, 12, 21, 18, 20);
        let (jupiter, saturn) = (sky.spot(Body::Jupiter), sky.spot(Body::Saturn));
        assert!(
            distance(jupiter.longitude, saturn.longitude) < 0.01,
            "{jupiter} {saturn}"
        );
        assert_eq!(jupiter.to_string(), "0°29′ of Aquarius");
    }

    #[test]
    fn mercury_and_jupiter_go_backwards_when_calendars_say_so() {
        assert!(at(2024, 4, 10, 0, 0).is_retrograde(Body::Mercury)); // 1 to 25 April 2024
        assert!(!at(2024, 5, 10, 0, 0).is_retrograde(Body::Mercury));
        assert!(at(2023, 10, 10, 0, 0).is_retrograde(Body::Jupiter)); // 4 September to 31 December 2023
        assert!(!at(2024, 3, 10, 0, 0).is_retrograde(Body::Jupiter));
        assert!(
            !at(2024, 4, 10, 0, 0).is_retrograde(Body::Sun)
                && !at(2024, 4, 10, 0, 0).is_retrograde(Body::Moon)
        );
    }

    #[test]
    fn the_mean_orbit_of_pluto_goes_on_where_the_series_ends() {
        for year in [1890, 1930, 1970, 2010, 2050, 2090] {
            let sky = at(year, 6, 1, 0, 0);
            let (x, y, _) = pluto_on_its_mean_orbit(sky.day);
            let (u, v, _) = pluto_around_the_sun(sky.day);
            let apart = distance(y.atan2(x).to_degrees(), v.atan2(u).to_degrees());
            assert!(apart < 0.06, "{year}: {apart}");
        }
        // It was found in 1930 at 17° to 18° of Cancer.
        assert_eq!(
            at(1930, 2, 18, 0, 0).spot(Body::Pluto).sign.name(),
            "Cancer"
        );
        // A century and a half before it moved through Aquarius.
        assert_eq!(
            at(1791, 12, 26, 12, 0).spot(Body::Pluto).sign.name(),
            "Aquarius"
        );
    }
}
