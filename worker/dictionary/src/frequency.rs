//! How often a drug is taken: English, Latin, abbreviations, and the dosing scheme 1-0-1.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::table::rows;

static PHRASES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut phrases = HashMap::new();
    for row in rows(include_str!("../data/frequencies.tsv")) {
        for phrase in row.list(1) {
            phrases.insert(phrase, row.column(0));
        }
    }
    phrases
});

/// How often, by the words at the beginning, and how many of them say it.
///
/// `as needed` is a frequency only where it stands alone: of `QID PRN` the first word is `four times daily`, and the next call answers
/// `as needed` for the second.
pub fn frequency(words: &[&str]) -> Option<(usize, String)> {
    let tokens = Tokens::new(words);
    (1..=tokens.texts.len()).rev().find_map(|count| {
        let used = tokens.words_of(count)?;
        Some((used, of(&tokens.texts[..count])?))
    })
}

/// Words in lower case, cut where letters join what are two words: `q4-6h` is `q 4 - 6 h`.
struct Tokens {
    texts: Vec<String>,
    ends: Vec<usize>,
}

impl Tokens {
    fn new(words: &[&str]) -> Self {
        let mut tokens = Self {
            texts: Vec::new(),
            ends: Vec::new(),
        };
        for (at, word) in words.iter().take(9).enumerate() {
            if word.trim_matches(['.', ',', ';', '(', ')']).is_empty() {
                break;
            }
            tokens.cut(word);
            if let Some(last) = tokens.ends.last_mut() {
                *last = at + 1;
            }
            // "twice daily," ends what is said.
            if word.ends_with([',', ';']) {
                break;
            }
        }
        tokens
    }

    fn cut(&mut self, word: &str) {
        let word = word.to_lowercase().replace(['–', '—', '−'], "-");
        let word = word.trim_matches(['.', ',', ';', '(', ')', ':']);
        if is_scheme(word) {
            return self.push(word);
        }
        // b.i.d. and q.6.h. have their points left out; 0.5 keeps its point.
        let plain: String = if word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            word.replace('.', "")
        } else {
            word.to_owned()
        };
        let mut piece = String::new();
        for letter in plain.chars() {
            let is_joint = piece.chars().next_back().is_some_and(|last| {
                last.is_ascii_digit() && letter.is_alphabetic()
                    || letter.is_ascii_digit() && last.is_alphabetic()
            });
            if is_joint || matches!(letter, '-' | '/' | '°') {
                self.push(&std::mem::take(&mut piece));
            }
            match letter {
                '-' | '/' => self.push(if letter == '-' { "-" } else { "/" }),
                '°' => self.push("h"),
                _ => piece.push(letter),
            }
        }
        self.push(&piece);
    }

    fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.texts.push(text.to_owned());
            self.ends.push(0);
        }
    }

    fn words_of(&self, count: usize) -> Option<usize> {
        let words = *self.ends.get(count.checked_sub(1)?)?;
        (words > 0).then_some(words)
    }
}

/// 1-0-1 or 1-0-0-1: how many in the morning, at noon, in the evening and at night.
fn is_scheme(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    (3..=4).contains(&parts.len())
        && parts
            .iter()
            .all(|part| matches!(*part, "0" | "1" | "2" | "3" | "4" | "½" | "1/2" | "0.5"))
        && parts.iter().any(|part| *part != "0")
}

fn scheme(word: &str) -> String {
    let parts: Vec<&str> = word.split('-').collect();
    let taken: Vec<usize> = (0..parts.len()).filter(|at| parts[*at] != "0").collect();
    match taken.as_slice() {
        [0] => "every morning".to_owned(),
        [1] => "at noon".to_owned(),
        [2] => "every evening".to_owned(),
        [3] => "at bedtime".to_owned(),
        // With unequal doses "twice daily" would lose who takes how many when.
        _ if taken.iter().any(|at| parts[*at] != parts[taken[0]]) => word.to_owned(),
        _ => times(taken.len() as u32, "daily"),
    }
}

fn times(count: u32, period: &str) -> String {
    match count {
        1 => format!("once {period}"),
        2 => format!("twice {period}"),
        3 => format!("three times {period}"),
        4 => format!("four times {period}"),
        5 => format!("five times {period}"),
        6 => format!("six times {period}"),
        _ => format!("{count} times {period}"),
    }
}

fn of(tokens: &[String]) -> Option<String> {
    let texts: Vec<&str> = tokens
        .iter()
        .map(String::as_str)
        .filter(|text| *text != "-")
        .collect();
    if let [word] = texts.as_slice()
        && is_scheme(word)
    {
        return Some(scheme(word));
    }
    simple(&texts).or_else(|| at_a_time_of_day(&texts))
}

fn simple(texts: &[&str]) -> Option<String> {
    if let Some(known) = PHRASES.get(texts.join(" ").as_str()) {
        return Some((*known).to_owned());
    }
    every(texts)
        .or_else(|| hourly(texts))
        .or_else(|| so_many_times(texts))
}

/// "once daily at bedtime" says more than "once daily".
fn at_a_time_of_day(texts: &[&str]) -> Option<String> {
    (1..texts.len()).rev().find_map(|cut| {
        if simple(&texts[..cut])? != "once daily" {
            return None;
        }
        let when = simple(&texts[cut..])?;
        let is_time = matches!(
            when.as_str(),
            "at bedtime" | "every morning" | "every evening" | "at noon"
        );
        is_time.then_some(when)
    })
}

/// "every 4 to 6 hours", "q 8 h", "every other day", "every 2 weeks".
fn every(texts: &[&str]) -> Option<String> {
    let (first, rest) = texts.split_first()?;
    if !matches!(*first, "every" | "each" | "q" | "per") {
        return None;
    }
    let (count, rest) = range(rest);
    let [period] = rest else {
        return None;
    };
    let period = length(period)?;
    match (count, period) {
        (None, "day") => Some("once daily".to_owned()),
        (None, "week") => Some("once weekly".to_owned()),
        (None, "month") => Some("once monthly".to_owned()),
        (None, "year") => Some("once yearly".to_owned()),
        (None, "hour") => Some("every hour".to_owned()),
        (Some(count), _) if count == "1" => every(&["every", period]),
        (Some(count), "day") if count == "2" => Some("every other day".to_owned()),
        (Some(count), period) => Some(format!("every {count} {period}s")),
        _ => None,
    }
}

/// "8 hourly", "4-6 hourly".
fn hourly(texts: &[&str]) -> Option<String> {
    let (count, rest) = range(texts);
    match (count, rest) {
        (Some(count), ["hourly" | "hrly" | "hly"]) => Some(format!("every {count} hours")),
        _ => None,
    }
}

/// "3 times a day", "2x daily", "3x/week", "one time each day".
fn so_many_times(texts: &[&str]) -> Option<String> {
    let (count, rest) = match texts {
        ["once", rest @ ..] => (1, rest),
        ["twice", rest @ ..] => (2, rest),
        ["thrice", rest @ ..] => (3, rest),
        ["x", count, rest @ ..] => (number(count)?, rest),
        [count, "times" | "time" | "x", rest @ ..] => (number(count)?, rest),
        [count, "/", rest @ ..] => {
            return period_of(rest).and_then(|period| Some(times(number(count)?, period)));
        }
        _ => return None,
    };
    Some(times(count, period_of(rest)?))
}

fn period_of(texts: &[&str]) -> Option<&'static str> {
    Some(match texts {
        ["daily"] => "daily",
        ["weekly"] => "weekly",
        ["monthly"] => "monthly",
        [
            "a" | "per" | "each" | "every" | "/" | "in" | "the",
            rest @ ..,
        ]
        | rest => match rest {
            [period] => match length(period)? {
                "day" => "daily",
                "week" => "weekly",
                "month" => "monthly",
                "year" => "yearly",
                _ => return None,
            },
            _ => return None,
        },
    })
}

fn length(text: &str) -> Option<&'static str> {
    Some(match text {
        "hour" | "hours" | "hr" | "hrs" | "h" | "hourly" => "hour",
        "minute" | "minutes" | "min" | "mins" => "minute",
        "day" | "days" | "d" => "day",
        "week" | "weeks" | "wk" | "wks" => "week",
        "month" | "months" | "mo" => "month",
        "year" | "years" | "yr" => "year",
        _ => return None,
    })
}

/// A number or a range at the beginning, as it is to be written.
fn range<'a, 'b>(texts: &'a [&'b str]) -> (Option<String>, &'a [&'b str]) {
    match texts {
        [low, "to" | "or" | "-", high, rest @ ..] | [low, high, rest @ ..]
            if number(low).is_some() && number(high).is_some() =>
        {
            match (number(low), number(high)) {
                (Some(low), Some(high)) => (Some(format!("{low}-{high}")), rest),
                _ => (None, texts),
            }
        }
        [count, rest @ ..] => match number(count) {
            Some(count) => (Some(count.to_string()), rest),
            None => (None, texts),
        },
        [] => (None, texts),
    }
}

fn number(text: &str) -> Option<u32> {
    Some(match text {
        "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "eight" => 8,
        "ten" => 10,
        "twelve" => 12,
        "other" | "second" | "alternate" => 2,
        "third" | "3rd" => 3,
        _ => text
            .parse()
            .ok()
            .filter(|count| (1..=365).contains(count))?,
    })
}
