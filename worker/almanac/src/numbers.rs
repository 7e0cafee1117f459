//! Numbers of a date and a name, by the usual table: A is 1, I is 9, J is 1 again.

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// The numbers of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// Of the whole date: 1 to 9, 11, 22 or 33.
    pub life_path: u8,
    /// Of the day of the month.
    pub birthday: u8,
    /// Of the month and the day together: what a person is first taken for.
    pub attitude: u8,
    /// Of the name, if it has letters from A to Z.
    pub name: Option<NameNumbers>,
    /// Life path and expression together.
    pub maturity: Option<u8>,
    /// The weekday of the birth, in English.
    pub weekday: String,
    /// The numbers of the four stretches of life.
    pub pinnacles: [u8; 4],
    /// The ages at which the second, third and fourth begin.
    pub turns: [u8; 3],
}

/// The numbers of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameNumbers {
    /// Of all letters.
    pub expression: u8,
    /// Of the vowels; none where there is no vowel.
    pub soul_urge: Option<u8>,
    /// Of the consonants; none where there is no consonant.
    pub personality: Option<u8>,
    /// Numbers that no letter of the name has.
    pub missing: Vec<u8>,
    /// How many letters were counted.
    pub letters: usize,
    /// The number that most letters have.
    pub strongest: u8,
}

impl Numbers {
    /// The numbers of a name and a date.
    pub fn of(name: &str, born: NaiveDate) -> Self {
        let (year, month, day) = (born.year().unsigned_abs(), born.month(), born.day());
        let life_path =
            reduced(reduced(year).into_sum() + reduced(month).into_sum() + reduced(day).into_sum());
        let name = NameNumbers::of(name);
        Self {
            life_path,
            birthday: reduced(day),
            attitude: reduced(month + day),
            maturity: name
                .as_ref()
                .map(|name| reduced(u32::from(life_path) + u32::from(name.expression))),
            name,
            weekday: born.format("%A").to_string(),
            pinnacles: pinnacles(single(month), single(day), single(year)),
            turns: [0, 9, 18].map(|later| 36 - single(life_path.into()) as u8 + later),
        }
    }
}

impl NameNumbers {
    fn of(name: &str) -> Option<Self> {
        // Marks fall off their letters: é counts as e.
        let letters: Vec<u8> = name
            .nfd()
            .filter(char::is_ascii_alphabetic)
            .map(|letter| letter.to_ascii_lowercase() as u8)
            .collect();
        if letters.is_empty() {
            return None;
        }
        let value = |letter: &u8| u32::from((letter - b'a') % 9) + 1;
        let sum =
            |wanted: &dyn Fn(&&u8) -> bool| letters.iter().filter(wanted).map(value).sum::<u32>();
        let is_vowel = |letter: &&u8| b"aeiou".contains(letter);
        let (vowels, consonants) = (sum(&is_vowel), sum(&|letter| !is_vowel(letter)));
        let often = |number: u8| {
            letters
                .iter()
                .filter(|letter| value(letter) == u32::from(number))
                .count()
        };
        let strongest = (1..=9)
            .rev()
            .max_by_key(|number| often(*number))
            .unwrap_or(1);
        Some(Self {
            expression: reduced(vowels + consonants),
            soul_urge: (vowels > 0).then(|| reduced(vowels)),
            personality: (consonants > 0).then(|| reduced(consonants)),
            missing: (1..=9).filter(|number| often(*number) == 0).collect(),
            letters: letters.len(),
            strongest,
        })
    }
}

fn pinnacles(month: u32, day: u32, year: u32) -> [u8; 4] {
    let (first, second) = (reduced(month + day), reduced(day + year));
    [
        first,
        second,
        reduced(single(first.into()) + single(second.into())),
        reduced(month + year),
    ]
}

// One digit, whatever it is.
fn single(number: u32) -> u32 {
    match number {
        0 => 0,
        _ => 1 + (number - 1) % 9,
    }
}

trait IntoSum {
    fn into_sum(self) -> u32;
}

impl IntoSum for u8 {
    fn into_sum(self) -> u32 {
        self.into()
    }
}

// Digits are added until one is left. 11, 22 and 33 stay.
fn reduced(mut number: u32) -> u8 {
    while number > 9 && !matches!(number, 11 | 22 | 33) {
        let mut sum = 0;
        while number > 0 {
            sum += number % 10;
            number /= 10;
        }
        number = sum;
    }
    number as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_and_a_name_give_their_numbers() {
        let ada = Numbers::of("Ada Lovelace", "1815-12-10".parse().unwrap());
        // 1815 is 15 is 6, 12 is 3, 10 is 1: together 10, so 1.
        assert_eq!((ada.life_path, ada.birthday, ada.attitude), (1, 1, 22));
        assert_eq!(ada.weekday, "Sunday");
        let name = ada.name.unwrap();
        // A1 D4 A1 L3 O6 V4 E5 L3 A1 C3 E5: 36, so 9. Vowels 1+1+6+5+1+5 = 19, so 1. Consonants 17, so 8.
        assert_eq!(
            (name.expression, name.soul_urge, name.personality),
            (9, Some(1), Some(8))
        );
        assert_eq!((name.letters, name.missing), (11, vec![2, 7, 8, 9]));
    }

    #[test]
    fn four_stretches_follow_from_the_date() {
        // 10 December 1815: month 3, day 1, year 6. The first ends at 36 less the life path.
        let ada = Numbers::of("Ada", "1815-12-10".parse().unwrap());
        assert_eq!((ada.pinnacles, ada.turns), ([4, 7, 11, 9], [35, 44, 53]));
    }

    #[test]
    fn master_numbers_stay() {
        assert_eq!(
            (
                reduced(29),
                reduced(22),
                reduced(33),
                reduced(48),
                reduced(1999)
            ),
            (11, 22, 33, 3, 1)
        );
    }

    #[test]
    fn marks_fall_off_and_a_name_without_latin_letters_has_no_numbers() {
        let born = "1990-01-01".parse().unwrap();
        assert_eq!(Numbers::of("Zoë", born).name, Numbers::of("Zoe", born).name);
        assert_eq!(Numbers::of("孫文", born).name, None);
        assert_eq!(Numbers::of("Ng", born).name.unwrap().soul_urge, None);
    }
}
