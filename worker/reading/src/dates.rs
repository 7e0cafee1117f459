//! Dates in their usual forms. Whether the day or the month comes first is decided by evidence of the whole document:
//! dates that can be read in one way alone, then marks of a country. Without evidence a date is in doubt.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use regex::Regex;

use crate::pattern;

static NUMERIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[^\d./-])(?:(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?([/.-])\s?(\d{4}|\d{2}))(?:[^\d/-]|$)",
    )
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(\d{1,2})(?:st|nd|rd|th)?[\s.-]*(?:of\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?[\s-]*(\d{4}|\d{2}\b)|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*(\d{1,2})(?:st|nd|rd|th)?,?\s*(\d{4})\b",
    )
});
static AMERICAN: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\b[A-Z]{2},?\s+\d{5}(?:-\d{4})?\b",
        r"\(\d{3}\)\s*\d{3}-\d{4}",
        r"\b\d{3}-\d{3}-\d{4}\b",
        r"\b\d{3}-01\d\d\b",
        r"\b(?:DEA|NPI|CLIA|SSN)\b",
        r"(?i)\d\s?(?:\u{b0}\s?F|lbs?\b)",
        r"\b(?:hemo|Hemo|anemi|Anemi|edema|Edema|pediatric|Pediatric|leuk|hyperlipidemia)",
        r"\b(?:PA-C|ARNP|FNP(?:-BC|-C)?|LPN)\b",
    ]
    .iter()
    .map(|text| pattern(text))
    .collect()
});
static OTHERS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\b[A-Z]{1,2}\d[A-Z\d]?\s+\d[A-Z]{2}\b", r"\bNHS\b", r"\+(?:44|61|64|353|91|27|49|33|34|39|31|32|41|43|45|46|47|48|351|65|852)\b", r"\b(?:NSW|VIC|QLD|TAS|ACT)\b",
        r"(?i)haem|paediat|anaem|oedema|diarrhoea|oesoph|gynaec|orthopaed|ischaem|leucocyt|anaesth|neutropaen|hypoglycaem|glycaem|litre|centre\b|tumour",
        r"\b(?:mane|nocte|TTO|TTA|Registrar|A&E|MBBS|MRCP|FRCP|FRCS|FRACP|FRACS|MBChB|GP|Paracetamol|paracetamol|Salbutamol|salbutamol|Hospital No|Practitioner)\b",
        r"\bMedicare (?:No|number)\b", r"\bPractice Manager\b|\bSurgery\b|\bRoyal\b",
    ]
    .iter()
    .map(|text| pattern(text))
    .collect()
});

/// What comes first in a numeric date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Month,
    Day,
    Unknown,
}

/// A date in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dated {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) date: NaiveDate,
    pub(crate) is_ambiguous: bool,
    is_short: bool,
}

/// The order of a document's dates, from all of its text.
pub(crate) fn order<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Order {
    let (mut month, mut day) = (0, 0);
    for text in texts.clone() {
        for found in NUMERIC.captures_iter(text) {
            let number = |at: usize| {
                found
                    .get(at)
                    .and_then(|part| part.as_str().parse::<u32>().ok())
            };
            let (Some(first), Some(second)) = (number(4), number(6)) else {
                continue;
            };
            if first > 12 && first <= 31 && (1..=12).contains(&second) {
                day += 1;
            } else if second > 12 && second <= 31 && (1..=12).contains(&first) {
                month += 1;
            }
        }
    }
    match (month, day) {
        (0, 0) => {}
        (_, 0) => return Order::Month,
        (0, _) => return Order::Day,
        // A page that was read badly may hold one odd date among many.
        (month, day) if month >= 4 * day => return Order::Month,
        (month, day) if day >= 4 * month => return Order::Day,
        _ => return Order::Unknown,
    }
    let cues = |patterns: &[Regex]| {
        let says = |pattern: &&Regex| texts.clone().any(|text| pattern.is_match(text));
        patterns.iter().filter(says).count()
    };
    let (american, others) = (cues(&AMERICAN), cues(&OTHERS));
    match american.cmp(&others) {
        std::cmp::Ordering::Greater => Order::Month,
        std::cmp::Ordering::Less => Order::Day,
        std::cmp::Ordering::Equal => Order::Unknown,
    }
}

/// The dates of a text, in their order.
pub(crate) fn dates(text: &str, order: Order) -> Vec<Dated> {
    let mut found: Vec<Dated> = Vec::new();
    let mut at = 0;
    // Neighbours share the letter between them, which `captures_iter` would use up.
    while let Some(numeric) = NUMERIC.captures_at(text, at) {
        let first = numeric
            .get(1)
            .or(numeric.get(4))
            .map_or(0, |part| part.start());
        let last = numeric
            .get(3)
            .or(numeric.get(8))
            .map_or(text.len(), |part| part.end());
        if let Some(dated) = read_numeric(&numeric, order, first, last) {
            found.push(dated);
        }
        at = last.max(at + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        if at >= text.len() {
            break;
        }
    }
    for named in NAMED.captures_iter(text) {
        let number = |at: usize| {
            named
                .get(at)
                .and_then(|part| part.as_str().parse::<u32>().ok())
        };
        let (day, month, year) = if named.get(1).is_some() {
            (number(1), named.get(2), named.get(3))
        } else {
            (number(5), named.get(4), named.get(6))
        };
        let (Some(day), Some(month), Some(year), Some(whole)) = (day, month, year, named.get(0))
        else {
            continue;
        };
        let is_short = year.as_str().len() == 2;
        let date = full_year(year.as_str())
            .and_then(|year| NaiveDate::from_ymd_opt(year, month_of(month.as_str())?, day));
        if let Some(date) = date {
            found.push(Dated {
                from: whole.start(),
                to: whole.end(),
                date,
                is_ambiguous: false,
                is_short,
            });
        }
    }
    found.sort_by_key(|dated| dated.from);
    found
}

fn read_numeric(
    numeric: &regex::Captures<'_>,
    order: Order,
    from: usize,
    to: usize,
) -> Option<Dated> {
    let number = |at: usize| {
        numeric
            .get(at)
            .and_then(|part| part.as_str().parse::<u32>().ok())
    };
    let dated = |date, is_ambiguous, is_short| Dated {
        from,
        to,
        date,
        is_ambiguous,
        is_short,
    };
    if let Some(year) = number(1) {
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, number(2)?, number(3)?)?;
        return plausible(date).then(|| dated(date, false, false));
    }
    let (first, second, year) = (number(4)?, number(6)?, numeric.get(8)?.as_str());
    let marks = (numeric.get(5)?.as_str(), numeric.get(7)?.as_str());
    let is_short = year.len() == 2;
    // "1-0-1" is a dose, and "4.5.12" a section.
    if marks.0 != marks.1
        || is_short && marks.0 == "." && year.parse::<u32>().ok()? > 40 && first < 4
    {
        return None;
    }
    if is_short && marks.0 == "-" && numeric.get(4)?.as_str().len() < 2 {
        return None;
    }
    let year = full_year(year)?;
    let by_month = NaiveDate::from_ymd_opt(year, first, second);
    let by_day = NaiveDate::from_ymd_opt(year, second, first);
    let (date, is_ambiguous) = match (by_month, by_day) {
        (Some(date), None) | (None, Some(date)) => (date, false),
        (Some(one), Some(other)) if one == other => (one, false),
        // Points between the parts are written where the day comes first.
        (Some(_), Some(day)) if marks.0 == "." => (day, false),
        (Some(month), Some(day)) => match order {
            Order::Month => (month, false),
            Order::Day => (day, false),
            Order::Unknown => (month, true),
        },
        (None, None) => return None,
    };
    plausible(date).then(|| dated(date, is_ambiguous, is_short))
}

fn plausible(date: NaiveDate) -> bool {
    (1880..=2100).contains(&date.year())
}

fn full_year(text: &str) -> Option<i32> {
    let year: i32 = text.parse().ok()?;
    Some(match text.len() {
        2 if year <= 40 => 2000 + year,
        2 => 1900 + year,
        _ => year,
    })
}

impl Dated {
    /// As a date of birth: nobody is born after the document was written.
    pub(crate) fn born_before(self, latest: Option<NaiveDate>) -> NaiveDate {
        let is_late = latest.is_some_and(|latest| self.date > latest);
        if self.is_short && (is_late || self.date.year() > 2026) {
            return NaiveDate::from_ymd_opt(
                self.date.year() - 100,
                self.date.month(),
                self.date.day(),
            )
            .unwrap_or(self.date);
        }
        self.date
    }
}

fn month_of(name: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let start = name.get(..3)?.to_lowercase();
    let at = MONTHS.iter().position(|month| *month == start)?;
    u32::try_from(at + 1).ok()
}
