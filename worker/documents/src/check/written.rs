//! What stands on a page, ready to be asked: words, names by the dictionary, numbers, dates, frequencies.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::NaiveDate;
use gristmill_dictionary as dictionary;
use gristmill_reading::Page;
use regex::Regex;

/// The text of a page or of a document.
pub(super) struct Written {
    /// As it stands there, without the punctuation around words.
    words: Vec<String>,
    /// Folded by the dictionary, with a space at both ends.
    folded: String,
    /// The same, sentence by sentence.
    sentences: Vec<String>,
    /// Analytes that are named there; looked up when the first is asked for.
    analytes: OnceCell<HashSet<&'static str>>,
    numbers: HashSet<String>,
    dates: HashSet<NaiveDate>,
}

#[allow(clippy::expect_used)] // Patterns of our own, each of which a test uses.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern that was written with this module")
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+(?:[.,]\d+)*"));
static YEAR_FIRST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b"));
static YEAR_LAST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})\b"));
static DAY_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(\d{1,2})(?:st|nd|rd|th)?[-/ .]{0,2}(?:of )?([a-z]{3,9})[-/ .,]{0,2}(\d{4}|\d{2})\b",
    )
});
static NAME_DAY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b"));

impl Written {
    pub(super) fn of_pages(pages: &[Page]) -> Self {
        let texts: Vec<String> = pages
            .iter()
            .map(|page| {
                // The words of a page say its lines; a page without words has its text.
                let mut text = String::new();
                let mut line = None;
                for word in &page.words {
                    text.push(if line == Some(word.line) { ' ' } else { '\n' });
                    line = Some(word.line);
                    text.push_str(&word.text);
                }
                if page.words.is_empty() {
                    page.text.clone()
                } else {
                    text
                }
            })
            .collect();
        Self::of_texts(texts.iter().map(String::as_str))
    }

    pub(super) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let text = texts.collect::<Vec<_>>().join("\n");
        let words: Vec<String> = text
            .split_whitespace()
            .map(|word| {
                word.trim_matches(|letter: char| {
                    !letter.is_alphanumeric() && !matches!(letter, '%' | '#' | '+' | '/' | '-')
                })
                .to_owned()
            })
            .filter(|word| !word.is_empty())
            .collect();
        Self {
            folded: format!(" {} ", dictionary::fold(&text)),
            sentences: sentences(&text),
            analytes: OnceCell::new(),
            numbers: NUMBER
                .find_iter(&text)
                .flat_map(|found| readings(found.as_str()))
                .collect(),
            dates: dates(&text),
            words,
        }
    }

    /// Whether the phrase stands there, each of its words whole.
    pub(super) fn has_phrase(&self, phrase: &str) -> bool {
        let folded = dictionary::fold(phrase);
        !folded.is_empty() && self.folded.contains(&format!(" {folded} "))
    }

    /// Whether each word of three letters and more stands there, in whatever order.
    pub(super) fn has_words_of(&self, text: &str) -> bool {
        let folded = dictionary::fold(text);
        let long: Vec<&str> = folded.split(' ').filter(|word| word.len() > 2).collect();
        let asked: Vec<&str> = if long.is_empty() {
            folded.split(' ').filter(|word| !word.is_empty()).collect()
        } else {
            long
        };
        !asked.is_empty()
            && asked
                .iter()
                .all(|word| self.folded.contains(&format!(" {word} ")))
    }

    /// Whether a lookup of the dictionary finds this name anywhere.
    pub(super) fn has_name(
        &self,
        wanted: &str,
        look: impl Fn(&[&str]) -> Option<&'static str>,
    ) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        (0..words.len()).any(|at| look(&words[at..]) == Some(wanted))
    }

    /// Whether one to six words in a row are the name of this analyte.
    pub(super) fn has_analyte(&self, wanted: &str) -> bool {
        let all = || {
            (1..=6)
                .flat_map(|count| self.words.windows(count))
                .filter_map(|words| dictionary::analyte(&words.join(" ")))
                .map(|found| found.name)
                .collect()
        };
        self.analytes.get_or_init(all).contains(wanted)
    }

    /// Whether this frequency is written, in whichever words.
    pub(super) fn has_frequency(&self, wanted: &str) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let asked: Vec<&str> = wanted.split_whitespace().collect();
        let usual =
            dictionary::frequency(&asked).map_or_else(|| wanted.to_lowercase(), |found| found.1);
        self.has_phrase(wanted)
            || (0..words.len())
                .any(|at| dictionary::frequency(&words[at..]).is_some_and(|found| found.1 == usual))
    }

    /// The first number of a text that does not stand there.
    pub(super) fn missing_number(&self, text: &str) -> Option<String> {
        NUMBER
            .find_iter(text)
            .map(|found| found.as_str())
            .find(|number| {
                !readings(number)
                    .iter()
                    .any(|reading| self.has_number(reading))
            })
            .map(str::to_owned)
    }

    fn has_number(&self, number: &str) -> bool {
        const WORDS: &[&str] = &[
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve",
        ];
        let word = number
            .parse::<usize>()
            .ok()
            .and_then(|count| WORDS.get(count));
        self.numbers.contains(number) || word.is_some_and(|word| self.has_phrase(word))
    }

    /// Whether the date (YYYY-MM-DD) stands there in any form.
    pub(super) fn has_date(&self, date: &str) -> bool {
        NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok_and(|date| self.dates.contains(&date))
    }

    /// Whether each date of the text stands there, and there is one.
    pub(super) fn has_dates_of(&self, text: &str) -> bool {
        let wanted = dates(text);
        !wanted.is_empty() && wanted.iter().any(|date| self.dates.contains(date))
    }

    /// The words of the sentence before and behind a phrase, for each place where it stands.
    pub(super) fn around(&self, phrase: &str) -> Vec<(String, String)> {
        let wanted = format!(" {} ", dictionary::fold(phrase));
        if wanted.trim().is_empty() {
            return Vec::new();
        }
        let places = self.sentences.iter().flat_map(|sentence| {
            sentence
                .match_indices(&wanted)
                .map(move |(at, found)| (&sentence[..at], &sentence[at + found.len()..]))
        });
        places
            .map(|(before, after)| (before.to_owned(), after.to_owned()))
            .collect()
    }
}

/// Folded sentences, each with a space at both ends. A line that begins with a capital letter begins a sentence: items of lists have no points.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or('\n');
        let ends = matches!(letter, '.' | '!' | '?') && next.is_whitespace()
            || letter == ';'
            || letter == '\n' && !next.is_lowercase();
        if ends {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push(letter);
        }
    }
    found
        .iter()
        .map(|sentence| dictionary::fold(sentence))
        .filter(|sentence| !sentence.is_empty())
        .map(|sentence| format!(" {sentence} "))
        .collect()
}

/// What a number may mean: `1,000` is a thousand or one, and `5.0` is five.
fn readings(number: &str) -> Vec<String> {
    let with_point = number.replace(',', ".");
    let without = number.replace(',', "");
    let mut found: Vec<String> = [with_point.as_str(), without.as_str()]
        .iter()
        .filter_map(|text| text.parse::<f64>().ok())
        .map(|value| value.to_string())
        .collect();
    // 24/26 and 875-125 are cut into numbers before; a version such as 1.2.3 is none.
    found.dedup();
    found
}

fn dates(text: &str) -> HashSet<NaiveDate> {
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    let mut found = HashSet::new();
    let mut add = |year: &str, month: u32, day: u32| {
        let short = year.len() == 2;
        let year: i32 = year.parse().unwrap_or(0);
        // Two digits are of the last century or of this one; the page does not say which.
        let years = if short {
            vec![year + 1900, year + 2000]
        } else {
            vec![year]
        };
        found.extend(
            years
                .into_iter()
                .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day)),
        );
    };
    for parts in YEAR_FIRST.captures_iter(text) {
        add(&parts[1], number(&parts[2]), number(&parts[3]));
    }
    for parts in YEAR_LAST.captures_iter(text) {
        add(&parts[3], number(&parts[1]), number(&parts[2]));
        add(&parts[3], number(&parts[2]), number(&parts[1]));
    }
    for parts in DAY_NAME.captures_iter(text) {
        add(&parts[3], month(&parts[2]), number(&parts[1]));
    }
    for parts in NAME_DAY.captures_iter(text) {
        add(&parts[3], month(&parts[1]), number(&parts[2]));
    }
    found
}

/// A month by its name in English; 0 where it is none.
fn month(name: &str) -> u32 {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let name = name.to_lowercase();
    (1..)
        .zip(MONTHS)
        .find(|(_, month)| name.starts_with(month))
        .map_or(0, |(number, _)| number)
}
