//! Finds the longest known phrase at the beginning of some words, also with one letter misread.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use crate::fold::Folded;

/// Words shorter than this have too many neighbours to be corrected.
const SHORTEST_MISREAD: usize = 6;

/// FNV-1a. The keys are our own data, so nobody can choose them to collide, and the standard hasher takes three times as long to build.
#[derive(Clone)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub(crate) type Quick = BuildHasherDefault<Fnv>;

/// Folded phrases, each with the number of the record that it names.
#[derive(Default)]
pub(crate) struct Phrases {
    records: HashMap<&'static str, u32, Quick>,
    /// The largest number of words of the phrases that begin with a word.
    longest: HashMap<&'static str, u8, Quick>,
    /// The long words of all phrases, for [`Self::corrected`].
    words: Vec<&'static str>,
    /// For each of them, and for each of its letters left out: a hash and the number of the word, sorted. A map of lists took five times as
    /// long to build.
    near: Vec<(u32, u32)>,
    /// Words of a page that are right as they stand, though a letter more or less makes a name of them.
    everyday: HashMap<&'static str, (), Quick>,
}

/// What a lookup found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    /// How many of the caller's words the phrase takes.
    pub(crate) words: usize,
    /// How many folded words it takes.
    pub(crate) tokens: usize,
    pub(crate) record: u32,
    pub(crate) is_exact: bool,
}

impl Phrases {
    /// Adds a phrase. The first record that claims a phrase keeps it.
    pub(crate) fn add(&mut self, phrase: &'static str, record: u32) {
        self.records.entry(phrase).or_insert(record);
        let (first, count) = match phrase.split_once(' ') {
            Some((first, rest)) => (first, rest.split(' ').count() + 1),
            None => (phrase, 1),
        };
        let longest = self.longest.entry(first).or_insert(0);
        *longest = (*longest).max(u8::try_from(count).unwrap_or(u8::MAX));
    }

    /// Prepares the lookup of misread words. `everyday` are words that must not be corrected.
    pub(crate) fn with_misread_words(mut self, everyday: &'static str) -> Self {
        self.everyday
            .extend(everyday.lines().map(|line| (line, ())));
        let mut words: Vec<&'static str> = self
            .records
            .keys()
            .flat_map(|phrase| phrase.split(' '))
            .filter(|word| word.len() >= SHORTEST_MISREAD - 1 && word.is_ascii())
            .collect();
        words.sort_unstable();
        words.dedup();
        self.near.reserve(words.len() * 12);
        for (at, word) in (0..).zip(&words) {
            self.near.extend(neighbours(word).map(|key| (key, at)));
        }
        self.near.sort_unstable();
        self.near.dedup();
        self.words = words;
        self
    }

    /// The longest phrase at the beginning of the words. Where none stands there as it is written, one with a misread letter.
    pub(crate) fn find(&self, words: &[&str]) -> Option<Found> {
        // Nearly all words of a page begin no phrase, so the first is looked at before the others are folded.
        let first = Folded::new(words, 1);
        let most = self.longest_from(first.tokens.first()?)?;
        let folded = Folded::new(words, most);
        self.find_exact(&folded, &folded.tokens, true)
            .or_else(|| self.find_misread(&folded))
    }

    /// Whether a phrase begins with this folded word, as it stands or with a letter misread.
    pub(crate) fn begins(&self, word: &str) -> bool {
        self.longest_from(word).is_some()
    }

    fn longest_from(&self, word: &str) -> Option<usize> {
        self.longest
            .get(word)
            .or_else(|| self.longest.get(self.corrected(word)?))
            .map(|most| usize::from(*most))
    }

    /// The record of a whole folded text.
    pub(crate) fn get(&self, phrase: &str) -> Option<u32> {
        self.records.get(phrase).copied()
    }

    /// The record of a whole folded text, in which one letter of each long word may be misread.
    pub(crate) fn get_misread(&self, phrase: &str) -> Option<u32> {
        let corrected: Vec<&str> = phrase
            .split(' ')
            .map(|word| self.corrected(word).unwrap_or(word))
            .collect();
        self.get(&corrected.join(" "))
    }

    fn find_exact<T: AsRef<str>>(
        &self,
        folded: &Folded,
        tokens: &[T],
        is_exact: bool,
    ) -> Option<Found> {
        let most = *self.longest.get(tokens.first()?.as_ref())? as usize;
        let mut phrase = String::new();
        let mut found = None;
        for (at, token) in tokens.iter().take(most).enumerate() {
            if at > 0 {
                phrase.push(' ');
            }
            phrase.push_str(token.as_ref());
            if let (Some(record), Some(words)) = (self.get(&phrase), folded.words_of(at + 1)) {
                found = Some(Found {
                    words,
                    tokens: at + 1,
                    record,
                    is_exact,
                });
            }
        }
        found
    }

    fn find_misread(&self, folded: &Folded) -> Option<Found> {
        let mut changed = false;
        let tokens: Vec<&str> = folded
            .tokens
            .iter()
            .map(|token| match self.corrected(token) {
                Some(word) => {
                    changed = true;
                    word
                }
                None => token,
            })
            .collect();
        if !changed {
            return None;
        }
        self.find_exact(folded, &tokens, false)
    }

    /// The known word that differs in one letter; None for known words, for everyday words, and where two are equally near.
    fn corrected(&self, word: &str) -> Option<&'static str> {
        if self.near.is_empty()
            || word.len() < SHORTEST_MISREAD
            || !word.bytes().all(|byte| byte.is_ascii_alphanumeric())
            // A number is never corrected, and a word has one misread letter at most, so one digit among letters.
            || word.bytes().filter(u8::is_ascii_digit).count() > 1
            || self.everyday.contains_key(word)
        {
            return None;
        }
        let mut best = None;
        for key in neighbours(word) {
            let from = self.near.partition_point(|(other, _)| *other < key);
            let found = self.near[from..]
                .iter()
                .take_while(|(other, _)| *other == key);
            for known in found.filter_map(|(_, at)| self.words.get(*at as usize).copied()) {
                if known == word {
                    return None;
                }
                if best == Some(known) || !is_misread(known, word) {
                    continue;
                }
                if best.is_some() {
                    return None;
                }
                best = Some(known);
            }
        }
        best
    }
}

fn is_misread(known: &str, word: &str) -> bool {
    strsim::osa_distance(known, word) == 1
}

/// Hashes of the word and of the word without each one of its letters: two words within one edit share one of them.
fn neighbours(word: &str) -> impl Iterator<Item = u32> {
    let whole = Quick::default();
    (0..=word.len()).map(move |without| {
        let mut hasher = whole.build_hasher();
        for (at, byte) in word.bytes().enumerate() {
            if at != without {
                hasher.write(&[byte]);
            }
        }
        let hash = hasher.finish();
        (hash ^ (hash >> 32)) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases() -> Phrases {
        let mut phrases = Phrases::default();
        for (at, phrase) in ["metformin", "sodium chloride", "morphine", "chest pain"]
            .into_iter()
            .enumerate()
        {
            phrases.add(phrase, at as u32);
        }
        phrases.with_misread_words("dolphine\nmorphing")
    }

    fn find(words: &[&str]) -> Option<(usize, u32, bool)> {
        phrases()
            .find(words)
            .map(|found| (found.words, found.record, found.is_exact))
    }

    #[test]
    fn the_longest_phrase_is_found() {
        assert_eq!(find(&["Sodium", "Chloride", "0.9%"]), Some((2, 1, true)));
        assert_eq!(find(&["sodium-chloride"]), Some((1, 1, true)));
        assert_eq!(find(&["sodium"]), None);
    }

    #[test]
    fn one_misread_letter_is_forgiven_in_long_words_only() {
        assert_eq!(find(&["metf0rmin"]), Some((1, 0, false)));
        assert_eq!(find(&["metforrnin"]), None);
        assert_eq!(find(&["metfrmin"]), Some((1, 0, false)));
        assert_eq!(find(&["chesl", "pain"]), None);
    }

    #[test]
    fn an_everyday_word_is_never_corrected() {
        assert_eq!(find(&["morphing"]), None);
        assert_eq!(find(&["morphinc"]), Some((1, 2, false)));
    }
}
