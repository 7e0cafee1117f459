//! Fields that come as text or numbers and are something else.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Number;

/// As a number to compare with; nothing that JSON can write is not one.
pub(super) fn value(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

/// Whether a number is at least zero and below what anything in the world is worth.
pub(super) fn is_amount(number: &Number) -> bool {
    (0.0..1e15).contains(&value(number))
}

/// Seconds of the epoch.
pub(super) fn epoch<'de, D: Deserializer<'de>>(input: D) -> Result<DateTime<Utc>, D::Error> {
    let seconds = i64::deserialize(input)?;
    DateTime::from_timestamp_secs(seconds).ok_or_else(|| D::Error::custom("not a moment"))
}

/// `2024-11-01 06:01:36`, taken as UTC: it is only compared with its like.
pub(super) fn moment<'de, D: Deserializer<'de>>(input: D) -> Result<DateTime<Utc>, D::Error> {
    let text = String::deserialize(input)?;
    NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S")
        .map(|time| time.and_utc())
        .map_err(D::Error::custom)
}

/// `2025-02-04`, the first moment of it.
pub(super) fn day<'de, D: Deserializer<'de>>(input: D) -> Result<DateTime<Utc>, D::Error> {
    let day = NaiveDate::deserialize(input)?;
    Ok(day.and_time(chrono::NaiveTime::MIN).and_utc())
}

/// `"2024"`, between the first statements and the far future.
pub(super) fn year<'de, D: Deserializer<'de>>(input: D) -> Result<i32, D::Error> {
    let year: i32 = String::deserialize(input)?
        .parse()
        .map_err(D::Error::custom)?;
    if (1900..2200).contains(&year) {
        Ok(year)
    } else {
        Err(D::Error::custom("not a year"))
    }
}
