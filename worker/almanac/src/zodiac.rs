//! The twelve signs, and a place among them.

use serde::{Deserialize, Serialize};

/// A sign of the zodiac: thirty degrees of the ecliptic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// From 0°.
    Aries,
    /// From 30°.
    Taurus,
    /// From 60°.
    Gemini,
    /// From 90°.
    Cancer,
    /// From 120°.
    Leo,
    /// From 150°.
    Virgo,
    /// From 180°.
    Libra,
    /// From 210°.
    Scorpio,
    /// From 240°.
    Sagittarius,
    /// From 270°.
    Capricorn,
    /// From 300°.
    Aquarius,
    /// From 330°.
    Pisces,
}

/// What a sign is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZodiacElement {
    /// Aries, Leo, Sagittarius.
    Fire,
    /// Taurus, Virgo, Capricorn.
    Earth,
    /// Gemini, Libra, Aquarius.
    Air,
    /// Cancer, Scorpio, Pisces.
    Water,
}

/// Where in its season a sign lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The first of a season.
    Cardinal,
    /// The middle.
    Fixed,
    /// The last.
    Mutable,
}

/// How two signs stand to each other by their elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// The same element.
    Same,
    /// Fire with air, earth with water.
    Kindred,
    /// Everything else.
    Strange,
}

impl Sign {
    /// All of them, in their order.
    pub const ALL: [Self; 12] = [
        Self::Aries,
        Self::Taurus,
        Self::Gemini,
        Self::Cancer,
        Self::Leo,
        Self::Virgo,
        Self::Libra,
        Self::Scorpio,
        Self::Sagittarius,
        Self::Capricorn,
        Self::Aquarius,
        Self::Pisces,
    ];

    /// The sign of a longitude.
    pub fn of(longitude: f64) -> Self {
        Self::ALL[((longitude.rem_euclid(360.0) / 30.0) as usize).min(11)]
    }

    /// Its place from 0.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "Aries",
            "Taurus",
            "Gemini",
            "Cancer",
            "Leo",
            "Virgo",
            "Libra",
            "Scorpio",
            "Sagittarius",
            "Capricorn",
            "Aquarius",
            "Pisces",
        ][self as usize]
    }

    /// Its element.
    pub const fn element(self) -> ZodiacElement {
        match self as usize % 4 {
            0 => ZodiacElement::Fire,
            1 => ZodiacElement::Earth,
            2 => ZodiacElement::Air,
            _ => ZodiacElement::Water,
        }
    }

    /// Its mode.
    pub const fn mode(self) -> Mode {
        match self as usize % 3 {
            0 => Mode::Cardinal,
            1 => Mode::Fixed,
            _ => Mode::Mutable,
        }
    }

    /// How it gets on with another by element.
    pub fn quality(self, other: Self) -> Quality {
        match (self.element() as usize).abs_diff(other.element() as usize) {
            0 => Quality::Same,
            2 => Quality::Kindred,
            _ => Quality::Strange,
        }
    }
}

impl ZodiacElement {
    /// In English.
    pub const fn name(self) -> &'static str {
        ["fire", "earth", "air", "water"][self as usize]
    }
}

impl Mode {
    /// In English.
    pub const fn name(self) -> &'static str {
        ["cardinal", "fixed", "mutable"][self as usize]
    }
}

/// A place on the ecliptic, as it is written: degrees and minutes of a sign.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// In degrees from the beginning of Aries.
    pub longitude: f64,
    /// Its sign.
    pub sign: Sign,
    /// Whole degrees of the sign.
    pub degree: u8,
    /// Whole minutes of the degree.
    pub minute: u8,
}

impl Spot {
    /// The place of a longitude. Minutes that are not whole are dropped, as almanacs do.
    pub fn at(longitude: f64) -> Self {
        let longitude = longitude.rem_euclid(360.0);
        let within = longitude % 30.0;
        Self {
            longitude: (longitude * 10_000.0).round() / 10_000.0,
            sign: Sign::of(longitude),
            degree: within as u8,
            minute: (within.fract() * 60.0) as u8,
        }
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}°{:02}′ of {}",
            self.degree,
            self.minute,
            self.sign.name()
        )
    }
}

/// The shorter way between two longitudes, 0 to 180.
pub(crate) fn distance(one: f64, other: f64) -> f64 {
    let apart = (one - other).rem_euclid(360.0);
    apart.min(360.0 - apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longitude_is_written_as_degrees_and_minutes_of_its_sign() {
        assert_eq!(Spot::at(258.51).to_string(), "18°30′ of Sagittarius");
        assert_eq!(Spot::at(-0.5).to_string(), "29°30′ of Pisces");
        assert_eq!(Sign::of(359.999_999), Sign::Pisces);
    }

    #[test]
    fn fire_is_kin_to_air_and_strange_to_water() {
        assert_eq!(Sign::Aries.quality(Sign::Leo), Quality::Same);
        assert_eq!(Sign::Aries.quality(Sign::Libra), Quality::Kindred);
        assert_eq!(Sign::Aries.quality(Sign::Pisces), Quality::Strange);
        assert_eq!(Sign::Taurus.quality(Sign::Cancer), Quality::Kindred);
    }
}
