//! What the place of birth adds: the ascendant, the midheaven, and the twelve houses.

use serde::{Deserialize, Serialize};

use crate::birth::{Moment, Place};
use crate::sky::{Sky, centuries};
use crate::zodiac::Spot;

/// Beyond this latitude some degrees of the ecliptic never rise, so Placidus' houses do not exist.
const POLAR: f64 = 66.0;

/// The ascendant, the midheaven and the cusps of the houses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Angles {
    /// What rises.
    pub ascendant: Spot,
    /// What culminates.
    pub midheaven: Spot,
    /// Where the houses begin, the first first.
    pub cusps: [f64; 12],
    /// Whether the houses are those of Placidus. Near the poles they are Porphyry's.
    pub is_placidus: bool,
}

/// The angles of a moment at a place.
pub fn houses(moment: Moment, place: &Place) -> Angles {
    let sky = Sky::new(moment);
    let t = centuries(moment.dynamical);
    let nutation_of_obliquity = astro::nutation::nutation(moment.dynamical).1.to_degrees();
    let obliquity = (23.439_291_1 - 0.013_004_2 * t + nutation_of_obliquity).to_radians();
    let meridian = sidereal_degrees(moment, &sky, obliquity) + place.longitude;
    let globe = Globe {
        meridian: meridian.to_radians(),
        obliquity,
        latitude: place.latitude.to_radians(),
    };
    let (ascendant, midheaven) = (globe.ascendant(), globe.midheaven());
    let placidus = (place.latitude.abs() < POLAR)
        .then(|| globe.placidus(ascendant, midheaven))
        .flatten();
    Angles {
        ascendant: Spot::at(ascendant),
        midheaven: Spot::at(midheaven),
        is_placidus: placidus.is_some(),
        cusps: placidus.unwrap_or_else(|| porphyry(ascendant, midheaven)),
    }
}

impl Angles {
    /// The house of a longitude, from 1.
    pub fn house(&self, longitude: f64) -> u8 {
        for house in 0..12 {
            let (begin, end) = (self.cusps[house], self.cusps[(house + 1) % 12]);
            if (longitude - begin).rem_euclid(360.0) < (end - begin).rem_euclid(360.0) {
                return house as u8 + 1;
            }
        }
        12
    }
}

// Apparent sidereal time at Greenwich, in degrees.
fn sidereal_degrees(moment: Moment, sky: &Sky, obliquity: f64) -> f64 {
    let days = moment.universal - 2_451_545.0;
    let t = days / 36_525.0;
    let mean = 280.460_618_37 + 360.985_647_366_29 * days + 0.000_387_933 * t * t
        - t * t * t / 38_710_000.0;
    mean + sky.nutation_in_degrees() * obliquity.cos()
}

struct Globe {
    meridian: f64,
    obliquity: f64,
    latitude: f64,
}

impl Globe {
    fn midheaven(&self) -> f64 {
        self.meridian
            .sin()
            .atan2(self.meridian.cos() * self.obliquity.cos())
            .to_degrees()
            .rem_euclid(360.0)
    }

    fn ascendant(&self) -> f64 {
        let (sine, cosine) = self.meridian.sin_cos();
        let below = -(sine * self.obliquity.cos() + self.latitude.tan() * self.obliquity.sin());
        let rising = cosine.atan2(below).to_degrees().rem_euclid(360.0);
        // Of the two points of the horizon, the one in the east.
        match (rising - self.midheaven()).rem_euclid(360.0) < 180.0 {
            true => rising,
            false => (rising + 180.0).rem_euclid(360.0),
        }
    }

    // Each cusp has gone a third or two thirds of the arc between horizon and meridian, by its own diurnal motion.
    fn placidus(&self, ascendant: f64, midheaven: f64) -> Option<[f64; 12]> {
        let eleventh = self.cusp(30.0, 1.0 / 3.0, false)?;
        let twelfth = self.cusp(60.0, 2.0 / 3.0, false)?;
        let second = self.cusp(120.0, 2.0 / 3.0, true)?;
        let third = self.cusp(150.0, 1.0 / 3.0, true)?;
        let opposite = |longitude: f64| (longitude + 180.0).rem_euclid(360.0);
        Some([
            ascendant,
            second,
            third,
            opposite(midheaven),
            opposite(eleventh),
            opposite(twelfth),
            opposite(ascendant),
            opposite(second),
            opposite(third),
            midheaven,
            eleventh,
            twelfth,
        ])
    }

    fn cusp(&self, first_guess: f64, share: f64, is_below: bool) -> Option<f64> {
        let mut ascension = self.meridian + first_guess.to_radians();
        for _ in 0..60 {
            let longitude = ascension
                .sin()
                .atan2(ascension.cos() * self.obliquity.cos());
            let declination = (longitude.sin() * self.obliquity.sin()).asin();
            let rise = self.latitude.tan() * declination.tan();
            if rise.abs() > 1.0 {
                return None;
            }
            let semi_arc = std::f64::consts::FRAC_PI_2 + rise.asin();
            ascension = match is_below {
                false => self.meridian + semi_arc * share,
                true => {
                    self.meridian + std::f64::consts::PI - (std::f64::consts::PI - semi_arc) * share
                }
            };
        }
        Some(
            ascension
                .sin()
                .atan2(ascension.cos() * self.obliquity.cos())
                .to_degrees()
                .rem_euclid(360.0),
        )
    }
}

fn porphyry(ascendant: f64, midheaven: f64) -> [f64; 12] {
    let upper = (ascendant - midheaven).rem_euclid(360.0) / 3.0;
    let lower = 60.0 - upper;
    let mut cusps = [0.0; 12];
    for step in 0..3 {
        let at = step as f64;
        cusps[step] = (ascendant + at * lower).rem_euclid(360.0);
        cusps[(9 + step) % 12] = (midheaven + at * upper).rem_euclid(360.0);
        cusps[3 + step] = (midheaven + 180.0 + at * upper).rem_euclid(360.0);
        cusps[6 + step] = (ascendant + 180.0 + at * lower).rem_euclid(360.0);
    }
    cusps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sky::Body;
    use crate::zodiac::distance;
    use chrono::NaiveDate;

    fn moment(hour: u32, minute: u32) -> Moment {
        Moment::at(
            NaiveDate::from_ymd_opt(2000, 1, 1)
                .unwrap()
                .and_hms_opt(hour, minute, 0)
                .unwrap(),
            true,
        )
    }

    fn place(latitude: f64, longitude: f64) -> Place {
        Place {
            name: None,
            latitude,
            longitude,
        }
    }

    #[test]
    fn noon_of_the_first_of_january_2000_in_london_has_aries_rising_and_capricorn_on_high() {
        let angles = houses(moment(12, 0), &place(51.5, 0.0));
        // Sidereal time 280.46°, by hand: midheaven 9.6° of Capricorn, ascendant 24.2° of Aries.
        assert!(
            distance(angles.midheaven.longitude, 279.61) < 0.05,
            "{}",
            angles.midheaven
        );
        assert!(
            distance(angles.ascendant.longitude, 24.2) < 0.2,
            "{}",
            angles.ascendant
        );
    }

    #[test]
    fn the_ascendant_is_the_sun_when_the_sun_rises_and_the_midheaven_when_it_culminates() {
        // On the equator the horizon crosses the equator in the east, so at true noon the Sun is on the meridian.
        let place = place(48.0, 11.0);
        let mut nearest_rise = (360.0_f64, false);
        let mut nearest_noon = 360.0_f64;
        for minute in 0..1440 {
            let at = moment(0, 0).later(f64::from(minute) / 1440.0);
            let (angles, sun) = (houses(at, &place), Sky::new(at).longitude(Body::Sun));
            let apart = distance(angles.ascendant.longitude, sun);
            if apart < nearest_rise.0 {
                let hour = (at.universal + 0.5).fract() * 24.0;
                nearest_rise = (apart, (6.9..7.3).contains(&hour));
            }
            nearest_noon = nearest_noon.min(distance(angles.midheaven.longitude, sun));
        }
        // Munich on New Year: sunrise at 8:04 with refraction and the Sun's upper edge, so a few minutes later for its centre: 7:08 UTC.
        assert!(nearest_rise.0 < 0.3 && nearest_rise.1, "{nearest_rise:?}");
        assert!(nearest_noon < 0.3, "{nearest_noon}");
    }

    #[test]
    fn houses_go_once_around_and_the_first_begins_at_the_ascendant() {
        for latitude in [-60.0, -33.0, 0.0, 40.0, 65.0, 75.0] {
            for hour in 0..24 {
                let angles = houses(moment(hour, 17), &place(latitude, 20.0));
                assert_eq!(angles.is_placidus, latitude < 66.0);
                let widths: Vec<f64> = (0..12)
                    .map(|n| (angles.cusps[(n + 1) % 12] - angles.cusps[n]).rem_euclid(360.0))
                    .collect();
                assert!(
                    (widths.iter().sum::<f64>() - 360.0).abs() < 1e-6,
                    "{latitude} {hour} {widths:?}"
                );
                assert!(distance(angles.cusps[0], angles.ascendant.longitude) < 0.001);
                assert!(distance(angles.cusps[9], angles.midheaven.longitude) < 0.001);
                assert_eq!(angles.house(angles.ascendant.longitude + 0.01), 1);
                assert_eq!(angles.house(angles.midheaven.longitude + 0.01), 10);
            }
        }
    }

    #[test]
    fn on_the_equator_houses_of_placidus_are_even_in_ascension() {
        let angles = houses(moment(12, 0), &place(0.0, 0.0));
        let obliquity = 23.4393_f64.to_radians();
        let ascension = |longitude: f64| {
            let longitude = longitude.to_radians();
            (longitude.sin() * obliquity.cos())
                .atan2(longitude.cos())
                .to_degrees()
        };
        for house in 0..12 {
            let width = (ascension(angles.cusps[(house + 1) % 12])
                - ascension(angles.cusps[house]))
            .rem_euclid(360.0);
            assert!((width - 30.0).abs() < 0.01, "house {house}: {width}");
        }
    }
}
