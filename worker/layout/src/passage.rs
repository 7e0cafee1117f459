//! A stretch of text that keeps, for each of its words, where it stands and how surely it was read.

use std::sync::LazyLock;

use regex::Regex;

use crate::geometry::Line;
use crate::model::{Box4, Decision, Word, around};
use crate::pattern;

/// A word of a passage.
#[derive(Debug, Clone)]
struct Span {
    from: usize,
    to: usize,
    place: Box4,
    confidence: Option<f32>,
    raw: String,
}

/// Text with the places of its words.
#[derive(Debug, Clone)]
pub struct Passage {
    /// The words, with one space between them.
    pub text: String,
    /// The number of its page.
    pub page: u32,
    spans: Vec<Span>,
    /// Words without the punctuation around them: from and to.
    pub tokens: Vec<(usize, usize)>,
}

/// A number with letters that a reader takes for digits, and what may be glued to it.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^([(\[<>=]*)([0-9OIl|.,]*[0-9][0-9OIl|.,]*)(mg|mcg|ug|g|ml|mL|%)?([)\],.;:]*)$")
});

/// Words of letters and digits that are no misread numbers.
const NO_NUMBERS: &str = "O2|I2|l2|O1|I1|O3";

/// Gives a misread number its digits. The length stays, and so do all places.
fn repaired(word: &str) -> String {
    let Some(found) = NUMBER.captures(word) else {
        return word.to_owned();
    };
    let Some(number) = found.get(2) else {
        return word.to_owned();
    };
    let digits = number.as_str().chars().filter(char::is_ascii_digit).count();
    let letters = number
        .as_str()
        .chars()
        .filter(|c| c.is_alphabetic() || *c == '|')
        .count();
    if letters == 0 || crate::among(NO_NUMBERS, number.as_str()) || letters > digits + 1 {
        return word.to_owned();
    }
    let fixed: String = number
        .as_str()
        .chars()
        .map(|letter| match letter {
            'O' => '0',
            'I' | 'l' | '|' => '1',
            other => other,
        })
        .collect();
    format!(
        "{}{fixed}{}",
        &word[..number.start()],
        &word[number.end()..]
    )
}

impl Passage {
    /// Words of a page as one text.
    pub fn of(page: u32, words: &[Word]) -> Self {
        let mut passage = Self {
            text: String::new(),
            page,
            spans: Vec::with_capacity(words.len()),
            tokens: Vec::new(),
        };
        passage.push(words);
        passage.tokens = tokens(&passage.text);
        passage
    }

    /// Several lines as one text. What a line's end has cut at a hyphen is put together again.
    pub fn of_lines(lines: &[Line]) -> Self {
        let page = lines.first().map_or(1, |line| line.page);
        let mut passage = Self::of(page, &[]);
        for line in lines {
            passage.push(&line.words);
        }
        passage.tokens = tokens(&passage.text);
        passage
    }

    fn push(&mut self, words: &[Word]) {
        for (at, word) in words.iter().enumerate() {
            let goes_on = at == 0
                && self.text.ends_with('-')
                && !self.text.ends_with(" -")
                && word.text.starts_with(char::is_lowercase);
            if !self.text.is_empty() && !goes_on {
                self.text.push(' ');
            }
            let from = self.text.len();
            self.text.push_str(&repaired(word.text.trim()));
            self.spans.push(Span {
                from,
                to: self.text.len(),
                place: word.place,
                confidence: word.confidence,
                raw: word.text.clone(),
            });
        }
    }

    /// A part of it.
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let spans = self.within(from, to).map(|span| Span {
            from: span.from.max(from) - from,
            to: span.to.min(to) - from,
            ..span.clone()
        });
        let text = self.text[from..to].to_owned();
        Self {
            tokens: tokens(&text),
            page: self.page,
            spans: spans.collect(),
            text,
        }
    }

    fn within(&self, from: usize, to: usize) -> impl Iterator<Item = &Span> {
        self.spans
            .iter()
            .filter(move |span| span.from < to && span.to > from)
    }

    /// The smallest box around the words between two places of the text.
    pub fn place(&self, from: usize, to: usize) -> Box4 {
        around(self.within(from, to).map(|span| span.place))
    }

    /// The surest reading cannot mend the least sure word: the lowest counts.
    pub fn confidence(&self, from: usize, to: usize) -> f32 {
        let known = self.within(from, to).filter_map(|span| span.confidence);
        known.fold(1.0, f32::min)
    }

    /// Whether a reader has read it, and not the file said it.
    pub fn is_read(&self) -> bool {
        self.spans.iter().any(|span| span.confidence.is_some())
    }

    /// As it stands on the page.
    pub fn written(&self, from: usize, to: usize) -> String {
        let words: Vec<&str> = self
            .within(from, to)
            .map(|span| span.raw.as_str())
            .collect();
        words.join(" ")
    }

    /// These words as what has decided a status.
    pub fn decision(&self, from: usize, to: usize) -> Decision {
        Decision {
            text: self.written(from, to),
            page: self.page,
            place: self.place(from, to),
        }
    }

    /// A token by its number.
    pub fn token(&self, at: usize) -> &str {
        let (from, to) = self.tokens[at];
        &self.text[from..to]
    }

    /// The first token that begins at this place or behind it.
    pub fn token_from(&self, place: usize) -> usize {
        self.tokens.partition_point(|(from, _)| *from < place)
    }

    /// Up to eight tokens from one on, not beyond a place.
    pub fn ahead(&self, at: usize, to: usize) -> Vec<&str> {
        let tokens = self.tokens.iter().skip(at).take(8);
        let inside = tokens.take_while(|(_, end)| *end <= to);
        inside.map(|(from, end)| &self.text[*from..*end]).collect()
    }

    /// How many tokens from `at` on stand with nothing but spaces, hyphens and slashes between them.
    pub fn unbroken(&self, at: usize, most: usize) -> usize {
        let mut count = 1;
        while count < most && at + count < self.tokens.len() {
            let gap = &self.text[self.tokens[at + count - 1].1..self.tokens[at + count].0];
            if gap
                .chars()
                .any(|c| !c.is_whitespace() && c != '-' && c != '/')
            {
                break;
            }
            count += 1;
        }
        count
    }
}

fn is_inner(letter: char) -> bool {
    letter.is_alphanumeric()
        || matches!(
            letter,
            '-' | '/'
                | '+'
                | '.'
                | '\''
                | '\u{2019}'
                | '%'
                | '^'
                | '&'
                | '*'
                | '°'
                | 'µ'
                | 'μ'
                | '?'
                | '<'
                | '>'
        )
}

/// Words without the punctuation around them. A word of letters that runs into a number is cut before it.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut begin = None;
    let bytes = text.char_indices().chain([(text.len(), ' ')]);
    let mut before = ' ';
    for (at, letter) in bytes {
        let after = text[at..].chars().nth(1).unwrap_or(' ');
        let in_number =
            matches!(letter, ',' | ':') && before.is_ascii_digit() && after.is_ascii_digit();
        match (is_inner(letter) || in_number, begin) {
            (true, None) => begin = Some(at),
            (false, Some(from)) => {
                push_token(text, from, at, &mut found);
                begin = None;
            }
            _ => {}
        }
        before = letter;
    }
    found
}

fn push_token(text: &str, from: usize, to: usize, found: &mut Vec<(usize, usize)>) {
    let token = &text[from..to];
    let trimmed = token.trim_end_matches(['.', '-', '/', '\'', '*', '?', '\u{2019}']);
    let start = from
        + (trimmed.len()
            - trimmed
                .trim_start_matches(['.', '-', '/', '\'', '*', '+', '\u{2019}'])
                .len());
    let end = from + trimmed.len();
    if start >= end {
        return;
    }
    let token = &text[start..end];
    let letters = token.chars().take_while(char::is_ascii_alphabetic).count();
    let rest = &token[letters..];
    let digits = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .count();
    if letters >= 5
        && digits >= 1
        && rest.len() > digits
        && rest[digits..].starts_with(|c: char| c.is_alphabetic())
    {
        found.push((start, start + letters));
        found.push((start + letters, end));
    } else {
        found.push((start, end));
    }
}
