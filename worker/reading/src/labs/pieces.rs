//! What a part of a row is, by its shape: a number, a range, a unit, a flag, or words.

use std::sync::LazyLock;

use gristmill_dictionary as dictionary;
use regex::Regex;

use crate::pattern;

/// What a part of a row is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Number(f64),
    /// A bound: a result such as "<5", or a range with one side.
    Bound(Side, f64),
    Range(f64, f64),
    Unit(&'static str),
    Flag(Flag),
    /// "Negative", "Not detected".
    Quality,
    Words,
}

/// Which side a bound leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Below,
    BelowOrAt,
    Above,
    AboveOrAt,
}

impl Side {
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::BelowOrAt => "<=",
            Self::Above => ">",
            Self::AboveOrAt => ">=",
        }
    }

    pub(crate) fn is_above(self) -> bool {
        matches!(self, Self::Above | Self::AboveOrAt)
    }
}

/// A printed flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    High,
    Low,
    Abnormal,
    Normal,
}

/// A part of a row and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) shape: Shape,
    pub(crate) in_brackets: bool,
}

static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(\d{1,3}(?:,\d{3})+|\d+(?:[.,]\d+)?|\.\d+)\s*(?:-|\u{2013}|\u{2014}|\u{2212}|~|to\b)\s*(\d{1,3}(?:,\d{3})+|\d+(?:[.,]\d+)?|\.\d+)(?:[^\d/-]|$)",
    )
});
static BOUND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(<\s?=|>\s?=|<|>|\u{2264}|\u{2265}|less than or equal to|less than|greater than or equal to|greater than|more than|up to|below|under|above|over|at least|at most)\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)",
    )
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^[-+\u{2212}]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)")
});
static FLAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?i:(critical(?:ly)? high|panic high|high|above|elevated|raised)|(critical(?:ly)? low|panic low|low|below|decreased)|(abnormal|abn|critical|crit)|(normal|wnl|within|in range))|(HH|H\*|H!|H|\u{2191}+)|(LL|L\*|L!|L|\u{2193}+)|(\*{1,3}|A|!{1,2})|(N))(?:[^A-Za-z0-9/]|$)",
    )
});
static QUALITY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(non-?reactive|not detected|none detected|none seen|no growth|negative|positive|reactive|detected|trace|absent|present|nil|neg|pos|indeterminate|equivocal|[1-4]\+)(?:[^a-z0-9]|$)",
    )
});

/// A number as it is written: a comma before three digits parts thousands, any other is a decimal point.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(',').collect();
    let is_thousands = parts.len() > 1
        && parts[1..].iter().all(|part| {
            part.split('.')
                .next()
                .is_some_and(|digits| digits.len() == 3)
        })
        && !text.starts_with("0,");
    let text = if is_thousands {
        text.replace(',', "")
    } else {
        text.replace(',', ".")
    };
    text.parse().ok()
}

fn side(mark: &str) -> Side {
    let mark = mark.to_lowercase().replace(' ', "");
    match mark.as_str() {
        "<" | "lessthan" | "below" | "under" => Side::Below,
        "<=" | "\u{2264}" | "lessthanorequalto" | "upto" | "atmost" => Side::BelowOrAt,
        ">" | "greaterthan" | "morethan" | "above" | "over" => Side::Above,
        _ => Side::AboveOrAt,
    }
}

/// The pieces of a text between two places.
pub(crate) fn pieces(text: &str, from: usize, to: usize) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut at = from;
    let mut depth = 0usize;
    while at < to {
        let rest = &text[at..to];
        let Some(letter) = rest.chars().next() else {
            break;
        };
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter.is_whitespace()
            || matches!(letter, '(' | ')' | '[' | ']' | ',' | ';' | ':' | '=' | '|')
        {
            at += letter.len_utf8();
            continue;
        }
        let glued = found.last().is_some_and(|last| {
            last.to == at
                && matches!(
                    last.shape,
                    Shape::Number(_) | Shape::Range(..) | Shape::Bound(..)
                )
        });
        let (length, shape) = one(rest, glued);
        found.push(Piece {
            from: at,
            to: at + length,
            shape,
            in_brackets: depth > 0,
        });
        at += length;
    }
    found
}

fn one(rest: &str, glued: bool) -> (usize, Shape) {
    if let Some(found) = RANGE.captures(rest)
        && let (Some(low), Some(high)) = (parse(&found[1]), parse(&found[2]))
        && low < high
    {
        let end = found.get(2).map_or(0, |part| part.end());
        return (end, Shape::Range(low, high));
    }
    if let Some(found) = BOUND.captures(rest)
        && let Some(value) = parse(&found[2])
    {
        return (found[0].len(), Shape::Bound(side(&found[1]), value));
    }
    if let Some((length, unit)) = unit_at(rest)
        && (!rest.starts_with(|c: char| c.is_ascii_digit())
            || rest[..length].contains(['^', '*', '/', '\u{b9}', '\u{2079}', 'e', 'E']))
        && !matches!(&rest[..length], "L" | "H" | "A" | "N")
        && !is_flag_word(rest)
    {
        return (length, Shape::Unit(unit));
    }
    if let Some(found) = QUALITY.captures(rest) {
        return (found[1].len(), Shape::Quality);
    }
    if let Some(found) = NUMBER.captures(rest) {
        let after = rest[found[0].len()..].chars().next();
        let is_plain = after
            .is_none_or(|c| !c.is_alphanumeric() && c != '/' && c != '-' && c != ':')
            || unit_at(&rest[found[0].len()..]).is_some()
            || is_flag_word(&rest[found[0].len()..]);
        if is_plain && let Some(value) = parse(&found[1]) {
            return (found[0].len(), Shape::Number(value));
        }
    }
    if let Some(found) = FLAG.captures(rest) {
        let flag = [
            (1, Flag::High),
            (2, Flag::Low),
            (3, Flag::Abnormal),
            (4, Flag::Normal),
            (5, Flag::High),
            (6, Flag::Low),
            (7, Flag::Abnormal),
            (8, Flag::Normal),
        ]
        .into_iter()
        .find_map(|(at, flag)| found.get(at).map(|part| (part.len(), flag)));
        if let Some((length, flag)) = flag {
            return (length, Shape::Flag(flag));
        }
    }
    let _ = glued;
    let end = rest
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ';' | ':' | '|')
        })
        .unwrap_or(rest.len());
    (
        end.max(rest.chars().next().map_or(1, char::len_utf8)),
        Shape::Words,
    )
}

fn is_flag_word(rest: &str) -> bool {
    FLAG.is_match(rest)
}

/// The unit that a text begins with; it may be written with spaces.
pub(crate) fn unit_at(rest: &str) -> Option<(usize, &'static str)> {
    let mut ends: Vec<usize> = rest
        .char_indices()
        .filter(|(at, c)| {
            *at > 0 && (c.is_whitespace() || matches!(c, ')' | ']' | ',' | ';' | '(' | '['))
        })
        .map(|(at, _)| at)
        .take(6)
        .collect();
    if ends.len() < 6 {
        ends.push(rest.len());
    }
    ends.iter().take(4).rev().find_map(|end| {
        let text = rest[..*end].trim_end_matches(['.', ',', ':']);
        if text.is_empty()
            || text.contains(['(', ')', '[', ']']) && !text.ends_with(')')
            || text.len() > 24
            || text.starts_with(char::is_whitespace)
        {
            return None;
        }
        let mended = mended(text);
        dictionary::unit(mended.as_deref().unwrap_or(text)).map(|unit| (text.len(), unit))
    })
}

static POWER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[x\u{d7}*]?\s?1[0Oo][^A-Za-z0-9\s/]{0,2}([369]|12)\s?/\s?([A-Za-z\u{b5}\u{3bc}]{1,3})$",
    )
});

/// "10%3/uL" and "10\u{b0}9/L" are powers of ten whose sign a reader took for another.
fn mended(text: &str) -> Option<String> {
    let found = POWER.captures(text)?;
    Some(format!("10^{}/{}", &found[1], &found[2]))
}
