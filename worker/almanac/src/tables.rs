//! What tradition has put into tables.

use crate::vedic::Gana::{self, Deva, Manushya, Rakshasa};
use crate::vedic::Nadi::{self, Adi, Antya, Madhya};

pub(crate) const NAKSHATRAS: [&str; 27] = [
    "Ashwini",
    "Bharani",
    "Krittika",
    "Rohini",
    "Mrigashira",
    "Ardra",
    "Punarvasu",
    "Pushya",
    "Ashlesha",
    "Magha",
    "Purva Phalguni",
    "Uttara Phalguni",
    "Hasta",
    "Chitra",
    "Swati",
    "Vishakha",
    "Anuradha",
    "Jyeshtha",
    "Mula",
    "Purva Ashadha",
    "Uttara Ashadha",
    "Shravana",
    "Dhanishta",
    "Shatabhisha",
    "Purva Bhadrapada",
    "Uttara Bhadrapada",
    "Revati",
];

/// The rulers of the nakshatras in their order, and the years of their periods.
pub(crate) const RULERS: [(&str, f64); 9] = [
    ("Ketu", 7.0),
    ("Venus", 20.0),
    ("Sun", 6.0),
    ("Moon", 10.0),
    ("Mars", 7.0),
    ("Rahu", 18.0),
    ("Jupiter", 16.0),
    ("Saturn", 19.0),
    ("Mercury", 17.0),
];

pub(crate) const GANAS: [Gana; 27] = [
    Deva, Manushya, Rakshasa, Manushya, Deva, Manushya, Deva, Deva, Rakshasa, Rakshasa, Manushya,
    Manushya, Deva, Rakshasa, Deva, Rakshasa, Deva, Rakshasa, Rakshasa, Manushya, Manushya, Deva,
    Rakshasa, Rakshasa, Manushya, Manushya, Deva,
];

pub(crate) const NADIS: [Nadi; 27] = [
    Adi, Madhya, Antya, Antya, Madhya, Adi, Adi, Madhya, Antya, Antya, Madhya, Adi, Adi, Madhya,
    Antya, Antya, Madhya, Adi, Adi, Madhya, Antya, Antya, Madhya, Adi, Adi, Madhya, Antya,
];

pub(crate) const YONI_NAMES: [&str; 14] = [
    "horse", "elephant", "sheep", "serpent", "dog", "cat", "rat", "cow", "buffalo", "tiger",
    "deer", "monkey", "mongoose", "lion",
];

pub(crate) const YONIS: [u8; 27] = [
    0, 1, 2, 3, 3, 4, 5, 2, 5, 6, 6, 7, 8, 9, 8, 9, 10, 10, 4, 11, 12, 11, 13, 0, 13, 7, 1,
];

/// The lower number first.
pub(crate) const YONI_ENEMIES: [(u8, u8); 7] =
    [(0, 8), (1, 13), (2, 11), (3, 12), (4, 10), (5, 6), (7, 9)];

/// The gates around the zodiac, beginning at 2° of Aquarius.
pub(crate) const WHEEL: [u8; 64] = [
    41, 19, 13, 49, 30, 55, 37, 63, 22, 36, 25, 17, 21, 51, 42, 3, 27, 24, 2, 23, 8, 20, 16, 35,
    45, 12, 15, 52, 39, 53, 62, 56, 31, 33, 7, 4, 29, 59, 40, 64, 47, 6, 46, 18, 48, 57, 32, 50,
    28, 44, 1, 43, 14, 34, 9, 5, 26, 11, 10, 58, 38, 54, 61, 60,
];

/// The thirty-six channels, the lower gate first.
pub(crate) const CHANNELS: [(u8, u8); 36] = [
    (1, 8),
    (2, 14),
    (3, 60),
    (4, 63),
    (5, 15),
    (6, 59),
    (7, 31),
    (9, 52),
    (10, 20),
    (10, 34),
    (10, 57),
    (11, 56),
    (12, 22),
    (13, 33),
    (16, 48),
    (17, 62),
    (18, 58),
    (19, 49),
    (20, 34),
    (20, 57),
    (21, 45),
    (23, 43),
    (24, 61),
    (25, 51),
    (26, 44),
    (27, 50),
    (28, 38),
    (29, 46),
    (30, 41),
    (32, 54),
    (34, 57),
    (35, 36),
    (37, 40),
    (39, 55),
    (42, 53),
    (47, 64),
];
