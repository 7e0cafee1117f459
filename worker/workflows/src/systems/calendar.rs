//! What a calendar and the Moon say about a day.

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::{Value, json};

use super::{Chapter, Subject, apart, counted, listed, long, ordinal};
use crate::sky::Body;

const fn of_weekday(day: Weekday) -> (&'static str, &'static str, &'static str) {
    match day {
        Weekday::Mon => (
            "Monday",
            "the Moon",
            "beginning again without a speech about it",
        ),
        Weekday::Tue => (
            "Tuesday",
            "Mars",
            "getting the unpleasant thing done before noon",
        ),
        Weekday::Wed => (
            "Wednesday",
            "Mercury",
            "carrying news from one side to the other",
        ),
        Weekday::Thu => (
            "Thursday",
            "Jupiter",
            "seeing the end of it from the middle",
        ),
        Weekday::Fri => ("Friday", "Venus", "knowing when enough has been done"),
        Weekday::Sat => ("Saturday", "Saturn", "work that nobody has ordered"),
        Weekday::Sun => (
            "Sunday",
            "the Sun",
            "being the reason why people come together",
        ),
    }
}

fn season(month: u32) -> (&'static str, &'static str) {
    match month {
        3..=5 => ("spring", "plans that have not met a summer yet"),
        6..=8 => ("summer", "the habit of staying outside a little longer"),
        9..=11 => ("autumn", "the art of bringing things in before it is late"),
        _ => ("winter", "the patience of what grows below the ground"),
    }
}

/// How old the Moon was, 0 to 360 degrees from new moon, and what that is called.
fn phase(person: &Subject) -> (f64, &'static str, &'static str) {
    let age = (person.at(Body::Moon) - person.at(Body::Sun)).rem_euclid(360.0);
    let (name, habit) = match age {
        _ if !(22.5..337.5).contains(&age) => ("a new moon", "starting in the dark and by feel"),
        _ if age < 67.5 => ("a young crescent", "pushing a thing through against habit"),
        _ if age < 112.5 => ("a first quarter", "deciding while others still discuss"),
        _ if age < 157.5 => ("a gibbous moon", "improving it once more"),
        _ if age < 202.5 => ("a full moon", "seeing both sides at once, which is tiring"),
        _ if age < 247.5 => ("a waning moon", "passing on what has been understood"),
        _ if age < 292.5 => ("a last quarter", "clearing out what no longer serves"),
        _ => (
            "an old crescent",
            "finishing quietly and dreaming of the next",
        ),
    };
    (age, name, habit)
}

fn since_solstice(date: NaiveDate) -> (i64, &'static str) {
    let year = date.year();
    let marks = [
        (
            NaiveDate::from_ymd_opt(year - 1, 12, 21),
            "the winter solstice",
        ),
        (NaiveDate::from_ymd_opt(year, 3, 20), "the spring equinox"),
        (NaiveDate::from_ymd_opt(year, 6, 21), "the summer solstice"),
        (NaiveDate::from_ymd_opt(year, 9, 22), "the autumn equinox"),
        (NaiveDate::from_ymd_opt(year, 12, 21), "the winter solstice"),
    ];
    let passed = marks
        .into_iter()
        .filter_map(|(mark, name)| Some(((date - mark?).num_days(), name)));
    passed
        .filter(|(days, _)| *days >= 0)
        .last()
        .unwrap_or((0, "the winter solstice"))
}

fn later(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_add_days(Days::new(days)).unwrap_or(date)
}

fn weekdays_again(date: NaiveDate) -> Vec<i32> {
    let on = |year| {
        date.with_year(year)
            .filter(|again| again.weekday() == date.weekday())
    };
    (date.year() + 1..date.year() + 60)
        .filter(|year| on(*year).is_some())
        .take(6)
        .collect()
}

pub(super) fn facts(person: &Subject) -> Value {
    let date = person.date;
    json!({
        "weekday": of_weekday(date.weekday()).0, "day_of_year": date.ordinal(), "week": date.iso_week().week(),
        "season": season(date.month()).0, "moon": phase(person).1, "day_10000": later(date, 10_000),
    })
}

pub(super) fn one(person: &Subject, chapter: &mut Chapter) {
    let (name, date) = (&person.name, person.date);
    let (weekday, ruler, habit) = of_weekday(date.weekday());
    chapter.section(format!("A {weekday}"));
    chapter.say(&[
        format!(
            "{name} was born on {weekday}, {}, the {} day of the year and in its {} week.",
            long(date),
            ordinal(date.ordinal()),
            ordinal(date.iso_week().week())
        ),
        format!(
            "The day is named after {ruler}, and it is said to give {name} a talent for {habit}."
        ),
        format!(
            "{} days of {} were left for {name} to be the youngest in.",
            if date.leap_year() {
                366 - date.ordinal()
            } else {
                365 - date.ordinal()
            },
            date.year()
        ),
    ]);
    let again: Vec<String> = weekdays_again(date).iter().map(i32::to_string).collect();
    chapter.say(&[
        format!("The birthday of {name} fell on a {weekday} again in {}.", listed(&again)),
        format!("The gaps of five, six and eleven years are the work of leap years, and whoever celebrates with {name} in such a year gets the original weather of the week."),
    ]);
    let (turned, gift) = season(date.month());
    let (days, mark) = since_solstice(date);
    chapter.section(format!("A day in {turned}"));
    chapter.say(&[
        format!(
            "North of the equator it was {turned}, {} after {mark}.",
            counted(usize::try_from(days).unwrap_or_default(), "day")
        ),
        format!("The season leaves {name} {gift}."),
        light(person),
    ]);
    let (age, called, habit) = phase(person);
    chapter.section(format!("Under {called}"));
    chapter.say(&[
        format!("The Moon was {age:.0} degrees past new moon, {:.1} days old if it is counted from there.", age / 360.0 * 29.530_6),
        format!("{:.0}% of its face was lit over {name}: {called}.", (1.0 - age.to_radians().cos()) * 50.0),
        format!("Those born under {called} are known for {habit}; {name} may ask old friends about that."),
    ]);
    let back = later(date, 6_940);
    chapter.say(&[format!("After nineteen years the Moon comes back to the same day: on {}, give or take one, {name} had the same moon overhead.", long(back))]);
    chapter.section("Round numbers");
    for (count, remark) in [
        (1_000, "a day without memory, but somebody took a picture"),
        (5_000, "old enough to have an opinion about it"),
        (10_000, "the first that deserves a cake of its own"),
        (15_000, "a good day for an honest list"),
        (20_000, "on which advice begins to be asked for"),
        (25_000, "by which most of the furniture has found its place"),
        (30_000, "and nobody counts aloud any more"),
    ] {
        let day = later(date, count);
        chapter.say(&[format!(
            "Day {count} in the life of {name} is {}, {}: {remark}.",
            of_weekday(day.weekday()).0,
            long(day)
        )]);
    }
    chapter.section("Half way");
    let half = later(date, 182);
    chapter.say(&[
        format!("The day farthest from the birthday of {name} is {}.", half.format("%-d %B")),
        format!("On that day the Sun stands opposite its place of birth, in the other half of the year, and {name} may take stock without candles."),
        format!("In the day count of astronomers, {name} was born on Julian day {}.", i64::from(date.num_days_from_ce()) + 1_721_425),
    ]);
}

fn light(person: &Subject) -> String {
    let name = &person.name;
    let sun = person.at(Body::Sun);
    let grows = !(90.0..270.0).contains(&sun);
    let nearest = apart(sun, if grows { 90.0 } else { 270.0 });
    if grows {
        format!(
            "The days were growing longer when {name} came, and the longest was {nearest:.0} degrees of the Sun's way ahead."
        )
    } else {
        format!(
            "The days were growing shorter when {name} came, and the shortest was {nearest:.0} degrees of the Sun's way ahead."
        )
    }
}

pub(super) fn both(one: &Subject, other: &Subject, chapter: &mut Chapter) {
    let (a, b) = (&one.name, &other.name);
    let (older, younger) = if one.date <= other.date {
        (one, other)
    } else {
        (other, one)
    };
    let days = (younger.date - older.date).num_days();
    chapter.section("How far apart");
    chapter.say(&[
        format!(
            "Between {} and {} lie {days} days, {} weeks or {:.1} turns of the Moon.",
            long(older.date),
            long(younger.date),
            days / 7,
            days_f(days) / 29.530_6
        ),
        format!(
            "{} was there first, and {} arrived on a {}.",
            older.name,
            younger.name,
            of_weekday(younger.date.weekday()).0
        ),
        format!(
            "In years that is {:.1}, and {a} and {b} may argue over whether it can be noticed.",
            days_f(days) / 365.25
        ),
    ]);
    let double = later(younger.date, u64::try_from(days).unwrap_or_default());
    let third = later(younger.date, u64::try_from(days).unwrap_or_default() / 2);
    chapter.say(&[
        format!(
            "On {} the age of {} was exactly double that of {}.",
            long(double),
            older.name,
            younger.name
        ),
        format!("Three times as old it had been on {}.", long(third)),
    ]);
    let sum = later(
        younger.date,
        u64::try_from((20_000 - days).max(0)).unwrap_or_default() / 2,
    );
    chapter.say(&[format!("On {} the days of {a} and of {b} added up to twenty thousand, or would have if both had been counted.", long(sum))]);
    chapter.section("Days of the week");
    let (mine, theirs) = (
        of_weekday(one.date.weekday()),
        of_weekday(other.date.weekday()),
    );
    chapter.say(&[
        format!(
            "{a} is of a {}, the day of {}; {b} is of a {}, the day of {}.",
            mine.0, mine.1, theirs.0, theirs.1
        ),
        if mine.0 == theirs.0 {
            format!(
                "The same day twice gives {a} and {b} a shared talent: {}.",
                mine.2
            )
        } else {
            format!(
                "{a} is for {}, {b} for {}, and a week has room for both.",
                mine.2, theirs.2
            )
        },
    ]);
    let meets: Vec<String> = (1..60)
        .map(|years| younger.date.year() + years)
        .filter(|year| {
            let day = |date: NaiveDate| date.with_year(*year).map(|day| day.weekday());
            day(one.date).is_some() && day(one.date) == day(other.date)
        })
        .take(5)
        .map(|year| year.to_string())
        .collect();
    chapter.say(&[if meets.is_empty() {
        format!("The birthdays of {a} and {b} never fall on the same day of the week, for the number of days between them does not allow it.")
    } else {
        format!("Both birthdays, that of {a} and that of {b}, fell on one day of the week in {}.", listed(&meets))
    }]);
    chapter.section("Seasons and moons");
    let (turn, gift) = season(one.date.month());
    let (their_turn, their_gift) = season(other.date.month());
    chapter.say(&[
        format!("{a} belongs to {turn} and {b} to {their_turn}."),
        format!(
            "The one has {gift}, the other {their_gift}: so it goes when {a} and {b} plan a year."
        ),
        format!(
            "Their birthdays are {} days apart on the wheel of the year.",
            around(one.date, other.date)
        ),
    ]);
    let ((age, called, habit), (their_age, theirs, their_habit)) = (phase(one), phase(other));
    chapter.say(&[
        format!("{a} was born under {called}, {age:.0} degrees after new moon, {b} under {theirs}, at {their_age:.0} degrees."),
        format!("{a} is good at {habit}; {b} is good at {their_habit}."),
        format!("The two moons of {a} and {b} are {:.0} degrees of phase apart.", apart(age, their_age)),
    ]);
    chapter.section("Days to keep");
    for (count, remark) in [
        (10_000, "a round number that neither has to themselves"),
        (15_000, "which deserves a journey"),
        (20_000, "by which the photographs need sorting"),
        (25_000, "and the stories have found their final form"),
    ] {
        let (x, y) = (later(one.date, count), later(other.date, count));
        chapter.say(&[format!(
            "Day {count} is {} for {a} and {} for {b}, {remark}.",
            long(x),
            long(y)
        )]);
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "days of some centuries are exact"
)]
fn days_f(days: i64) -> f64 {
    days as f64
}

fn around(one: NaiveDate, other: NaiveDate) -> u32 {
    let between = one.ordinal().abs_diff(other.ordinal());
    between.min(365 - between.min(365))
}
