//! Puts passages together to sections of paragraphs. Nothing is said twice in one book.

use std::collections::{HashMap, HashSet};

use crate::choices::Choices;
use crate::prose::{sentences, variants};
use crate::{Chapter, Section, Table};

/// A paragraph of so many words does not stand alone.
const SHORT: usize = 42;

/// What stands for a name in braces.
pub(crate) type Vars = Vec<(&'static str, String)>;

/// Names and their values: `vars![spot = chart.spot, sign = "Leo"]`.
macro_rules! vars {
    ($($name:ident = $value:expr),* $(,)?) => { vec![$((stringify!($name), $value.to_string())),*] };
}
pub(crate) use vars;

/// What a book has said so far.
#[derive(Default)]
pub(crate) struct Memory {
    sentences: HashSet<String>,
    /// How often each variant of each key was used.
    variants: HashMap<(String, usize), usize>,
}

/// A chapter that is being written.
pub(crate) struct Builder<'m> {
    memory: &'m mut Memory,
    choices: Choices,
    people: Vars,
    sections: Vec<Section>,
}

impl<'m> Builder<'m> {
    /// `first` is the person whom the chapter is about, `second` the other.
    pub(crate) fn new(memory: &'m mut Memory, choices: Choices, first: &str, second: &str) -> Self {
        Self {
            memory,
            choices,
            people: vars![a = first, b = second],
            sections: Vec::new(),
        }
    }

    /// A passage of a key: the variant that was used least, without the sentences that the book has already. Empty where
    /// nothing new is left.
    pub(crate) fn say(&mut self, key: &str, vars: &Vars) -> String {
        let all = variants(key);
        debug_assert!(!all.is_empty(), "no passage {key}");
        let first = self.choices.below(all.len());
        let mut order: Vec<usize> = (0..all.len()).map(|n| (first + n) % all.len()).collect();
        order.sort_by_key(|at| {
            self.memory
                .variants
                .get(&(key.to_owned(), *at))
                .copied()
                .unwrap_or(0)
        });
        let mut best: Vec<String> = Vec::new();
        let mut chosen = 0;
        for at in order {
            let filled: Vec<String> = sentences(all[at])
                .into_iter()
                .map(|sentence| self.fill(sentence, vars))
                .collect();
            let whole = filled.len();
            let new: Vec<String> = filled
                .into_iter()
                .filter(|sentence| !self.memory.sentences.contains(sentence))
                .collect();
            let is_whole = new.len() == whole;
            if new.len() > best.len() || is_whole {
                (best, chosen) = (new, at);
            }
            if is_whole {
                break;
            }
        }
        *self
            .memory
            .variants
            .entry((key.to_owned(), chosen))
            .or_default() += 1;
        self.memory.sentences.extend(best.iter().cloned());
        best.join(" ")
    }

    /// A few words that may come again: a title, a name, a theme.
    pub(crate) fn words(&mut self, key: &str, vars: &Vars) -> String {
        let all = variants(key);
        debug_assert!(!all.is_empty(), "no words {key}");
        let at = self.choices.below(all.len());
        all.get(at)
            .map_or_else(String::new, |words| self.filled(words, vars))
    }

    /// What the two people are called.
    pub(crate) fn called(&self) -> (String, String) {
        (self.people[0].1.clone(), self.people[1].1.clone())
    }

    /// Begins a section.
    pub(crate) fn section(&mut self, heading: &str, vars: &Vars) {
        let title = capital(&self.words(heading, vars));
        self.sections.push(Section {
            title,
            text: String::new(),
            table: None,
        });
    }

    /// A table at the head of the section.
    pub(crate) fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        if let Some(section) = self.sections.last_mut() {
            section.table = Some(Table {
                head: head.iter().map(|&cell| cell.to_owned()).collect(),
                rows,
            });
        }
    }

    /// A paragraph of what is not empty. A short one, or one that names nobody, could stand in many books, so it is joined to the one
    /// before.
    pub(crate) fn paragraph(&mut self, parts: impl IntoIterator<Item = String>) {
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let text = parts.join(" ");
        let is_named = self
            .people
            .iter()
            .any(|(_, name)| text.contains(name.as_str()));
        let stands_alone = is_named && text.split(' ').count() > SHORT;
        let Some(section) = self.sections.last_mut().filter(|_| !text.is_empty()) else {
            return;
        };
        if !section.text.is_empty() {
            section
                .text
                .push_str(if stands_alone { "\n\n" } else { " " });
        }
        section.text.push_str(&text);
    }

    /// The chapter.
    pub(crate) fn finish(mut self, title: String) -> Chapter {
        self.sections
            .retain(|section| !section.text.is_empty() || section.table.is_some());
        for section in &mut self.sections {
            section.title = typographic(&section.title);
            section.text = typographic(&section.text);
        }
        Chapter {
            title: typographic(&title),
            sections: self.sections,
        }
    }

    fn fill(&self, sentence: &str, vars: &Vars) -> String {
        capital(&self.filled(sentence, vars))
    }

    fn filled(&self, text: &str, vars: &Vars) -> String {
        let mut out = String::with_capacity(text.len() + 32);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            out.push_str(before);
            let value = vars
                .iter()
                .chain(&self.people)
                .find(|(known, _)| known.eq_ignore_ascii_case(name));
            debug_assert!(value.is_some(), "nothing stands for {name} in {text}");
            let value = value.map_or("", |(_, value)| value.as_str());
            match name.starts_with(char::is_uppercase) {
                true => out.push_str(&capital(value)),
                false => out.push_str(value),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

// As a printer sets it.
fn typographic(text: &str) -> String {
    text.replace('\'', "’")
}

/// The same with its first letter large.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// "a, b and c".
pub(crate) fn list(items: &[impl AsRef<str>]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// Small numbers as words.
pub(crate) fn count(number: usize) -> String {
    const WORDS: [&str; 13] = [
        "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    WORDS
        .get(number)
        .map_or_else(|| number.to_string(), |&word| word.to_owned())
}

/// "1st", "22nd".
pub(crate) fn ordinal(number: u32) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Degrees as "1°05′".
pub(crate) fn degrees(degrees: f64) -> String {
    let minutes = (degrees * 60.0).round() as u32;
    format!("{}°{:02}′", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_not_said_again() {
        let mut memory = Memory::default();
        let mut builder = Builder::new(&mut memory, Choices::seeded(&["x"]), "Ada", "Bo");
        let said: Vec<String> = (0..3).map(|_| builder.say("star.Mula", &vec![])).collect();
        assert_ne!(said[0], said[1]);
        assert_eq!(said[2], "");
    }

    #[test]
    fn a_name_with_braces_stays_a_name() {
        let mut memory = Memory::default();
        let builder = Builder::new(&mut memory, Choices::seeded(&["x"]), "{b}", "Bo");
        assert_eq!(builder.filled("{a} and {b}", &vec![]), "{b} and Bo");
    }

    #[test]
    fn lists_counts_ordinals_and_degrees_are_written_for_people() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!((count(3), count(40)), ("three".to_owned(), "40".to_owned()));
        assert_eq!(
            [1, 2, 3, 11, 22].map(ordinal),
            ["1st", "2nd", "3rd", "11th", "22nd"]
        );
        assert_eq!(degrees(1.0 + 5.0 / 60.0), "1°05′");
    }
}
