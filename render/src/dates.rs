//! Dates as a resume of the language shows them.

use serde_json::Value;

use crate::text::first;
use crate::titles::title;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Where a date may stand.
pub(crate) const KEYS: [&str; 6] = [
    "startDate",
    "start",
    "endDate",
    "end",
    "date",
    "releaseDate",
];

/// From when until when, and which fields said so; a start without an end lasts.
pub(crate) fn span(item: &Value, lang: &str) -> (String, Vec<&'static str>) {
    let mut used = Vec::new();
    let mut date = |keys: [&'static str; 2]| {
        let key = keys.into_iter().find(|key| first(item, &[key]).is_some())?;
        used.push(key);
        first(item, &[key]).map(|date| shown(&date, lang))
    };
    let (start, end) = (date(["startDate", "start"]), date(["endDate", "end"]));
    let span = match (start, end) {
        (Some(start), Some(end)) if start == end => start,
        (Some(start), Some(end)) => format!("{start} – {end}"),
        (Some(start), None) => format!("{start} – {}", title("present", lang)),
        (None, Some(end)) => end,
        (None, None) => date(["date", "releaseDate"]).unwrap_or_default(),
    };
    (span, used)
}

// 2021-03 and 2021-03-15: the day of a month is of no interest on a resume. Anything else stays as it was written.
fn shown(date: &str, lang: &str) -> String {
    let Some((year, month)) = year_and_month(date) else {
        return date.to_owned();
    };
    match lang {
        "en" => format!("{} {year}", MONTHS[month - 1]),
        "zh" | "ja" => format!("{year}年{month}月"),
        "ko" => format!("{year}년 {month}월"),
        _ => format!("{month:02}/{year}"),
    }
}

fn year_and_month(date: &str) -> Option<(&str, usize)> {
    let is_number =
        |part: &str, digits| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next());
    let fits = is_number(year, 4)
        && is_number(month, 2)
        && day.is_none_or(|day| is_number(day, 2))
        && parts.next().is_none();
    let month = month.parse().ok().filter(|month| (1..=12).contains(month));
    fits.then_some((year, month?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_shown_as_the_language_does() {
        assert_eq!(shown("2021-03-15", "en"), "Mar 2021");
        assert_eq!(shown("2021-03", "de"), "03/2021");
        assert_eq!(shown("2021-12", "zh"), "2021年12月");
        assert_eq!(shown("2021-12", "ko"), "2021년 12월");
    }

    #[test]
    fn what_is_no_month_stays_as_written() {
        for text in [
            "2021",
            "2021-13",
            "2021-00",
            "2021-3",
            "Spring 2021",
            "2021-03-15-1",
            "२०२१-०३",
            "-",
            "",
        ] {
            assert_eq!(shown(text, "en"), text);
        }
    }
}
