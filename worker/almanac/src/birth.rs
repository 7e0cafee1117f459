//! When and where somebody was born, and what moment of the sky that is.

use chrono::{
    Datelike, Duration, FixedOffset, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeZone,
    Timelike,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

/// The years for which the series are good.
const YEARS: std::ops::RangeInclusive<i32> = 1600..=2199;

/// A place on Earth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// North is positive.
    pub latitude: f64,
    /// East is positive.
    pub longitude: f64,
}

/// A birth, as well as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Birth {
    /// The day, in the calendar of today.
    pub date: NaiveDate,
    /// The hour, by the clock of the place.
    pub time: Option<NaiveTime>,
    /// What clocks there showed: a name of the IANA database or an offset such as `+05:30`. Without it the mean time of the place's meridian.
    pub zone: Option<String>,
    /// Where.
    pub place: Option<Place>,
}

/// Why there is no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BirthError {
    /// The series would be wrong.
    #[error("the year of birth must be between 1600 and 2199")]
    Year,
    /// Neither a zone nor an offset.
    #[error("the time zone is neither a name such as Europe/London nor an offset such as +05:30")]
    Zone,
    /// A clock alone says no moment.
    #[error("a time of birth needs a zone, or a place for the mean time of its meridian")]
    Time,
    /// Off the globe.
    #[error("latitude must be between -90 and 90, longitude between -180 and 180")]
    Place,
}

/// A moment of the sky.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The Julian day in universal time.
    pub universal: f64,
    /// The Julian day in the even time of the ephemerides.
    pub dynamical: f64,
    /// Whether the hour of birth was known. Without it the moment is noon.
    pub is_timed: bool,
}

impl Birth {
    /// The moment of the birth; noon where the hour is not known.
    pub fn moment(&self) -> Result<Moment, BirthError> {
        self.check()?;
        let noon = NaiveTime::default() + Duration::hours(12);
        let local = self.date.and_time(self.time.unwrap_or(noon));
        let universal = match (&self.zone, &self.place) {
            (Some(zone), _) => in_zone(local, zone)?,
            (None, Some(place)) => {
                local - Duration::seconds((place.longitude * 240.0).round() as i64)
            }
            (None, None) if self.time.is_some() => return Err(BirthError::Time),
            (None, None) => local,
        };
        Ok(Moment::at(universal, self.time.is_some()))
    }

    fn check(&self) -> Result<(), BirthError> {
        if !YEARS.contains(&self.date.year()) {
            return Err(BirthError::Year);
        }
        match &self.place {
            Some(place)
                if !(-90.0..=90.0).contains(&place.latitude)
                    || !(-180.0..=180.0).contains(&place.longitude) =>
            {
                Err(BirthError::Place)
            }
            _ => Ok(()),
        }
    }
}

fn in_zone(local: NaiveDateTime, zone: &str) -> Result<NaiveDateTime, BirthError> {
    if let Ok(offset) = zone.parse::<FixedOffset>() {
        return Ok(local - Duration::seconds(i64::from(offset.local_minus_utc())));
    }
    let zone: Tz = zone.parse().map_err(|_| BirthError::Zone)?;
    // An hour that clocks skipped is taken as if they had not; of one that came twice, the first.
    Ok(match zone.from_local_datetime(&local) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.naive_utc(),
        LocalResult::None => match zone.from_local_datetime(&(local - Duration::hours(1))) {
            LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => {
                at.naive_utc() + Duration::hours(1)
            }
            LocalResult::None => local,
        },
    })
}

impl Moment {
    /// The moment of a time in UTC.
    pub fn at(universal: NaiveDateTime, is_timed: bool) -> Self {
        let day = julian_day(universal.date())
            + f64::from(universal.num_seconds_from_midnight()) / 86_400.0;
        Self::new(day, is_timed)
    }

    /// The same, so many days later.
    pub fn later(self, days: f64) -> Self {
        Self::new(self.universal + days, self.is_timed)
    }

    fn new(universal: f64, is_timed: bool) -> Self {
        let year = 2000.0 + (universal - 2_451_545.0) / 365.25;
        let delta = astro::time::delta_t(year as i32, 6);
        Self {
            universal,
            dynamical: universal + delta / 86_400.0,
            is_timed,
        }
    }
}

/// The Julian day at midnight of a date. It is written here because the one of `astro` counts days of the month in floats.
pub(crate) fn julian_day(date: NaiveDate) -> f64 {
    f64::from(date.num_days_from_ce()) + 1_721_424.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn birth(
        date: &str,
        time: Option<&str>,
        zone: Option<&str>,
        place: Option<(f64, f64)>,
    ) -> Birth {
        Birth {
            date: date.parse().unwrap(),
            time: time.map(|time| NaiveTime::parse_from_str(time, "%H:%M").unwrap()),
            zone: zone.map(str::to_owned),
            place: place.map(|(latitude, longitude)| Place {
                name: None,
                latitude,
                longitude,
            }),
        }
    }

    #[test]
    fn noon_of_the_first_of_january_2000_is_julian_day_2451545() {
        let moment = birth("2000-01-01", Some("12:00"), Some("UTC"), None)
            .moment()
            .unwrap();
        assert_eq!(moment.universal, 2_451_545.0);
        assert!((63.0..66.0).contains(&((moment.dynamical - moment.universal) * 86_400.0)));
        assert_eq!(
            birth("2000-01-01", None, None, None)
                .moment()
                .unwrap()
                .universal,
            2_451_545.0
        );
    }

    #[test]
    fn a_zone_an_offset_and_a_meridian_say_when_it_was() {
        let day = |zone, place| {
            birth("1990-07-01", Some("14:30"), zone, place)
                .moment()
                .unwrap()
                .universal
        };
        let summer = day(Some("Europe/London"), None); // 13:30 UTC
        assert!((summer - day(Some("+01:00"), None)).abs() < 1e-9);
        assert!((day(None, Some((0.0, 15.0))) - summer).abs() < 1e-9);
        assert!((day(Some("Asia/Kolkata"), None) - day(Some("+05:30"), None)).abs() < 1e-9);
    }

    #[test]
    fn a_birth_that_no_moment_follows_from_is_refused_by_name() {
        assert_eq!(
            birth("1990-01-01", Some("10:00"), None, None).moment(),
            Err(BirthError::Time)
        );
        assert_eq!(
            birth("1990-01-01", Some("10:00"), Some("Mars/Olympus"), None).moment(),
            Err(BirthError::Zone)
        );
        assert_eq!(
            birth("1066-10-14", None, None, None).moment(),
            Err(BirthError::Year)
        );
        assert_eq!(
            birth("1990-01-01", None, None, Some((91.0, 0.0))).moment(),
            Err(BirthError::Place)
        );
    }

    #[test]
    fn an_hour_that_clocks_skipped_is_still_a_moment() {
        let skipped = birth("2021-03-28", Some("02:30"), Some("Europe/Berlin"), None)
            .moment()
            .unwrap();
        let before = birth("2021-03-28", Some("01:30"), Some("Europe/Berlin"), None)
            .moment()
            .unwrap();
        assert!((skipped.universal - before.universal - 1.0 / 24.0).abs() < 1e-9);
    }
}
