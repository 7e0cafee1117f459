//! A job's schedule, read as pg_cron reads it: five fields in GMT, a nickname, or 'N seconds'.

use std::time::Duration;

use chrono::{DateTime, Utc};
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// When a job is due.
#[derive(Debug, Clone)]
pub(super) enum Schedule {
    /// That long after its last start.
    Every(Duration),
    /// In each minute that matches.
    Minutes {
        /// The five fields.
        cron: Box<Cron>,
        /// Whether minute or hour begin with `*`: such jobs are not made up for after a long gap.
        wildcard: bool,
    },
    /// Once, when a relay begins to serve.
    AtStart,
}

/// A schedule that `cron.schedule` let pass and the parser does not.
#[derive(Debug, thiserror::Error)]
#[error("invalid schedule: {0}")]
pub(super) struct Invalid(String);

impl Schedule {
    /// Reads a schedule.
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid(text.to_owned());
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        match fields.as_slice() {
            ["@reboot" | "@restart"] => Ok(Self::AtStart),
            [nickname] if nickname.starts_with('@') => {
                minutes(expand(nickname).ok_or_else(invalid)?).ok_or_else(invalid)
            }
            [count, unit] if is_seconds(unit) => match count.parse() {
                Ok(seconds @ 1..=59) => Ok(Self::Every(Duration::from_secs(seconds))),
                _ => Err(invalid()),
            },
            [a, b, c, d, e] => minutes([a, b, c, d, e]).ok_or_else(invalid),
            _ => Err(invalid()),
        }
    }

    /// Whether a job with five fields is due in the minute that begins at `minute`.
    pub(super) fn matches(&self, minute: DateTime<Utc>) -> bool {
        match self {
            Self::Minutes { cron, .. } => cron.is_time_matching(&minute).unwrap_or(false),
            Self::Every(_) | Self::AtStart => false,
        }
    }
}

fn is_seconds(unit: &str) -> bool {
    unit.eq_ignore_ascii_case("seconds") || unit.eq_ignore_ascii_case("second")
}

fn expand(nickname: &str) -> Option<[&'static str; 5]> {
    Some(match nickname {
        "@yearly" | "@annually" => ["0", "0", "1", "1", "*"],
        "@monthly" => ["0", "0", "1", "*", "*"],
        "@weekly" => ["0", "0", "*", "*", "0"],
        "@daily" | "@midnight" => ["0", "0", "*", "*", "*"],
        "@hourly" => ["0", "*", "*", "*", "*"],
        _ => return None,
    })
}

/// A star in a list covers the rest of it; croner takes no such list.
fn simplified(field: &str) -> &str {
    if field.split(',').any(|item| item == "*") {
        "*"
    } else {
        field
    }
}

/// Whether a field is made of numbers, of the given names, and of cron's own signs.
fn is_list(field: &str, names: &[&str]) -> bool {
    field.split(['*', ',', '-', '/']).all(|word| {
        word.bytes().all(|byte| byte.is_ascii_digit())
            || names.iter().any(|name| name.eq_ignore_ascii_case(word))
    })
}

fn minutes(fields: [&str; 5]) -> Option<Schedule> {
    let [minute, hour, day, month, weekday] = fields;
    // Only what pg_cron knows: croner would also take L, W, # and ?.
    let last_day = day == "$";
    let known = is_list(minute, &[])
        && is_list(hour, &[])
        && (last_day || is_list(day, &[]))
        && is_list(month, &MONTHS)
        && is_list(weekday, &WEEKDAYS);
    if !known {
        return None;
    }
    let day = if last_day { "L" } else { day };
    // Vixie's rule looks at the first character only: */2 is a star too, and with a star on either
    // side both days must match; otherwise one is enough.
    let both_days = day.starts_with('*') || weekday.starts_with('*');
    let cron = CronParser::builder()
        .seconds(Seconds::Disallowed)
        .year(Year::Disallowed)
        .dom_and_dow(both_days)
        .build()
        .parse(
            &[minute, hour, day, month, weekday]
                .map(simplified)
                .join(" "),
        )
        .ok()?;
    Some(Schedule::Minutes {
        cron: Box::new(cron),
        wildcard: minute.starts_with('*') || hour.starts_with('*'),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        format!("{text}:00Z").parse().unwrap()
    }

    fn due(schedule: &str, time: &str) -> bool {
        Schedule::parse(schedule).unwrap().matches(at(time))
    }

    #[test]
    fn five_fields_are_read_in_gmt() {
        assert!(due("30 3 * * *", "2026-03-01T03:30"));
        assert!(!due("30 3 * * *", "2026-03-01T04:30"));
        assert!(due("*/15 8-10 * jan,mar mon-fri", "2026-03-02T10:45"));
        assert!(!due("*/15 8-10 * jan,mar mon-fri", "2026-03-01T10:45"));
    }

    #[test]
    fn sunday_is_zero_and_seven() {
        assert!(due("0 0 * * 0", "2026-03-01T00:00"));
        assert!(due("0 0 * * 7", "2026-03-01T00:00"));
        assert!(due("0 0 * * sun", "2026-03-01T00:00"));
    }

    #[test]
    fn a_dollar_is_the_last_day_of_the_month() {
        assert!(due("0 0 $ * *", "2026-02-28T00:00"));
        assert!(!due("0 0 $ * *", "2028-02-28T00:00"));
        assert!(due("0 0 $ * *", "2028-02-29T00:00"));
        assert!(due("0 0 $ * *", "2026-04-30T00:00"));
    }

    #[test]
    fn two_restricted_days_are_alternatives_unless_one_begins_with_a_star() {
        // 2026-03-13 is a Friday.
        assert!(due("0 0 13 * mon", "2026-03-13T00:00"));
        assert!(due("0 0 14 * fri", "2026-03-13T00:00"));
        assert!(due("0 0 */2 * fri", "2026-03-13T00:00"));
        assert!(!due("0 0 */2 * fri", "2026-03-15T00:00"));
        assert!(!due("0 0 */2 * fri", "2026-03-20T00:00"));
    }

    #[test]
    fn seconds_are_one_to_fifty_nine() {
        assert!(
            matches!(Schedule::parse(" 5  sEcOnDs "), Ok(Schedule::Every(d)) if d.as_secs() == 5)
        );
        assert!(Schedule::parse("1 second").is_ok());
        for text in [
            "0 seconds",
            "60 seconds",
            "-1 seconds",
            "5 minutes",
            "seconds",
        ] {
            assert!(Schedule::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_pg_cron_does_not_know_is_refused() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "0 0 L * *",
            "0 0 15W * *",
            "0 0 ? * *",
            "0 0 * * 5#2",
            "5/10 * * * *",
            "*/0 * * * *",
            "@often",
        ] {
            assert!(Schedule::parse(text).is_err(), "{text}");
        }
    }
}
