//! The sidereal zodiac: signs are counted from the fixed stars, with the offset that the Indian almanac uses (Lahiri).

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use super::signs::{self, place};
use super::{Chapter, Subject, apart, long, ordinal, part};
use crate::sky::{Body, Sky};

/// The mansions of the Moon: name, what is drawn for it, what it is for.
#[rustfmt::skip]
const MANSIONS: [(&str, &str, &str); 27] = [
    ("Ashwini", "a horse's head", "quick help"), ("Bharani", "a vessel", "carrying what is heavy to its end"), ("Krittika", "a blade", "separating the true from the pleasant"),
    ("Rohini", "a cart", "making things grow"), ("Mrigashira", "a deer's head", "the search itself"), ("Ardra", "a teardrop", "clearing the air"),
    ("Punarvasu", "a quiver of arrows", "coming back unharmed"), ("Pushya", "a flower", "feeding others"), ("Ashlesha", "a coiled snake", "seeing through a pretence"),
    ("Magha", "a throne", "honouring where one comes from"), ("Purva Phalguni", "the front legs of a bed", "rest and enjoyment"), ("Uttara Phalguni", "the back legs of a bed", "keeping an agreement"),
    ("Hasta", "a hand", "skill of the fingers"), ("Chitra", "a jewel", "giving things a beautiful shape"), ("Swati", "a shoot in the wind", "bending without breaking"),
    ("Vishakha", "a gateway", "arriving at last"), ("Anuradha", "a lotus", "friendship"), ("Jyeshtha", "an amulet", "protecting the weaker side"),
    ("Mula", "a bundle of roots", "going to the bottom of things"), ("Purva Ashadha", "a fan", "a conviction that lasts"), ("Uttara Ashadha", "a tusk", "a victory that stays"),
    ("Shravana", "an ear", "listening"), ("Dhanishta", "a drum", "keeping time"), ("Shatabhisha", "an empty circle", "healing in private"),
    ("Purva Bhadrapada", "the front of a cot", "burning for an idea"), ("Uttara Bhadrapada", "the back of a cot", "depth and calm"), ("Revati", "a fish", "seeing travellers home"),
];

/// The rulers of the mansions in turn, for how many years each, and what such years are for.
const RULERS: [(&str, u32, &str); 9] = [
    ("Ketu", 7, "letting go of what has been finished"),
    ("Venus", 20, "company, comfort and the arts"),
    ("the Sun", 6, "being seen and taking charge"),
    ("the Moon", 10, "home, family and changes of place"),
    ("Mars", 7, "effort, quarrels and building"),
    ("Rahu", 18, "ambition and unfamiliar ground"),
    ("Jupiter", 16, "learning, teaching and trust"),
    ("Saturn", 19, "duty, patience and results that last"),
    ("Mercury", 17, "trade, study and writing"),
];

/// How far the point of spring has moved away from the stars, in degrees: 23°51′11″ in the year 2000.
fn offset(sky: Sky) -> f64 {
    let centuries = sky.centuries();
    23.853_06 + 1.396_97 * centuries + 0.000_31 * centuries * centuries
}

pub(super) fn sidereal(person: &Subject, body: Body) -> f64 {
    (person.at(body) - offset(person.sky)).rem_euclid(360.0)
}

struct Mansion {
    number: usize,
    name: &'static str,
    drawn: &'static str,
    purpose: &'static str,
    quarter: usize,
}

fn mansion(longitude: f64) -> Mansion {
    let number = part(longitude, 27);
    let (name, drawn, purpose) = MANSIONS[number];
    Mansion {
        number,
        name,
        drawn,
        purpose,
        quarter: part(longitude, 108) % 4 + 1,
    }
}

pub(super) fn moon_mansion(person: &Subject) -> (&'static str, &'static str) {
    let found = mansion(sidereal(person, Body::Moon));
    (found.name, found.purpose)
}

/// When the ruler of the years changes, from birth on: each with the date on which its years begin.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "days of a life"
)]
fn periods(person: &Subject) -> Vec<(usize, NaiveDate)> {
    const YEAR: f64 = 365.25;
    let moon = sidereal(person, Body::Moon);
    let width = 360.0 / 27.0;
    let (first, passed) = (part(moon, 27) % 9, moon.rem_euclid(width) / width);
    let mut days = -passed * f64::from(RULERS[first].1) * YEAR;
    (0..9)
        .map(|count| {
            let ruler = (first + count) % 9;
            let begins = person
                .date
                .checked_add_days(Days::new(days.max(0.0).round() as u64));
            days += f64::from(RULERS[ruler].1) * YEAR;
            (ruler, begins.unwrap_or(person.date))
        })
        .collect()
}

pub(super) fn facts(person: &Subject) -> Value {
    let moon = mansion(sidereal(person, Body::Moon));
    json!({
        "offset": (offset(person.sky) * 1000.0).round() / 1000.0,
        "moon_mansion": moon.name, "quarter": moon.quarter,
        "places": [Body::Sun, Body::Moon, Body::Mars, Body::Mercury, Body::Jupiter, Body::Venus, Body::Saturn, Body::Node]
            .map(|body| json!({ "body": body.name(), "sign": signs::of(sidereal(person, body)).name })),
        "periods": periods(person).into_iter().map(|(ruler, from)| json!({ "ruler": RULERS[ruler].0, "from": from })).collect::<Vec<_>>(),
    })
}

pub(super) fn one(person: &Subject, chapter: &mut Chapter) {
    let name = &person.name;
    chapter.section("Counted from the stars");
    let sun = sidereal(person, Body::Sun);
    chapter.say(&[
        format!("Indian astrology counts the signs from the fixed stars, which at the birth of {name} on {} were {:.2} degrees away from the point of spring.", person.born(), offset(person.sky)),
        if signs::of(sun).name == signs::of(person.at(Body::Sun)).name {
            format!("The Sun of {name} stands so late in its sign that it stays there: {}.", place(sun))
        } else {
            format!("So the Sun of {name}, which western charts put into {}, is found at {}.", signs::of(person.at(Body::Sun)).name, place(sun))
        },
        format!("It lends {name} {}.", signs::of(sun).style),
    ]);
    let moon = sidereal(person, Body::Moon);
    let home = mansion(moon);
    chapter.section(format!("The Moon in {}", home.name));
    chapter.say(&[
        format!("Here the Moon matters more than the Sun, and the Moon of {name} is at {}.", place(moon)),
        format!("That is the {} quarter of {}, the {} of the twenty-seven mansions through which the Moon passes in a month.", ordinal(small(home.quarter)), home.name, ordinal(small(home.number + 1))),
        format!("Its picture is {}, and its purpose is {}.", home.drawn, home.purpose),
        format!("Whoever wants to know what {name} does without being asked should look for {}.", home.purpose),
    ]);
    chapter.say(&[
        format!(
            "The sign around it colours the mood: {name} rests where there is {}.",
            signs::of(moon).need
        ),
        format!(
            "A long winter brings out {} in {name}, and it passes with the season.",
            signs::of(moon).trap
        ),
    ]);
    chapter.section("The other lights");
    for (body, lead) in [
        (Body::Mars, "Mars, the captain,"),
        (Body::Mercury, "Mercury, the prince,"),
        (Body::Jupiter, "Jupiter, the teacher,"),
        (Body::Venus, "Venus, the counsellor,"),
        (Body::Saturn, "Saturn, the servant of time,"),
    ] {
        let longitude = sidereal(person, body);
        let (sign, house) = (signs::of(longitude), mansion(longitude));
        chapter.say(&[
            format!(
                "{lead} is at {} in the chart of {name}, in the mansion {}.",
                place(longitude),
                house.name
            ),
            format!(
                "It gives {name} a hand for {}, and asks for {} in return.",
                sign.gift, house.purpose
            ),
        ]);
    }
    let (head, tail) = (
        sidereal(person, Body::Node),
        sidereal(person, Body::Node) + 180.0,
    );
    chapter.say(&[
        format!(
            "Rahu, the head of the dragon, lies at {}; Ketu, its tail, opposite at {}.",
            place(head),
            place(tail)
        ),
        format!(
            "{name} is hungry for {} and has had enough of {}.",
            signs::of(head).style,
            signs::of(tail).style
        ),
    ]);
    chapter.section("The years");
    let years = periods(person);
    chapter.say(&[
        format!("The mansion of the Moon also says in which order the nine rulers take over the years of {name}."),
        format!("{name} was born into the years of {}, of which a part had passed already.", RULERS[years[0].0].0),
    ]);
    for (ruler, from) in years.iter().skip(1) {
        let (ruled, length, purpose) = RULERS[*ruler];
        chapter.say(&[format!(
            "On {} begin the {length} years of {ruled}: for {name}, {purpose}.",
            long(*from)
        )]);
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// How many mansions the Moon walks from the one to the other.
pub(super) fn steps(one: &Subject, other: &Subject) -> usize {
    let (from, to) = (
        mansion(sidereal(one, Body::Moon)).number,
        mansion(sidereal(other, Body::Moon)).number,
    );
    (to + 27 - from) % 27 + 1
}

pub(super) fn both(one: &Subject, other: &Subject, chapter: &mut Chapter) {
    let (a, b) = (&one.name, &other.name);
    let (mine, theirs) = (
        mansion(sidereal(one, Body::Moon)),
        mansion(sidereal(other, Body::Moon)),
    );
    chapter.section("From mansion to mansion");
    let (there, back) = (steps(one, other), steps(other, one));
    chapter.say(&[
        format!("The Moon of {a} is in {}, that of {b} in {}.", mine.name, theirs.name),
        format!("Counted as the tradition does, with both ends, it is {there} from {a} to {b} and {back} from {b} to {a}."),
        match (there - 1) % 9 + 1 {
            2 | 4 | 6 | 8 | 9 => format!("A count of {there} is one of the good ones: {a} does {b} good without having to plan it."),
            1 => format!("A count of {there} begins a round anew: {a} meets in {b} something very familiar."),
            _ => format!("A count of {there} asks for care: what {a} means well may arrive differently with {b}."),
        },
        match (back - 1) % 9 + 1 {
            2 | 4 | 6 | 8 | 9 => format!("The way back, {back}, is good as well: {b} carries something for {a}."),
            1 => format!("The way back, {back}, is a beginning too, and {b} knows {a} from the first day."),
            _ => format!("The way back, {back}, is the one on which {b} should say things twice to {a}."),
        },
    ]);
    chapter.say(&[
        format!(
            "{a} is for {}; {b} is for {}.",
            mine.purpose, theirs.purpose
        ),
        format!(
            "Put side by side, {} and {} are the two pictures over the door of {a} and {b}.",
            mine.drawn, theirs.drawn
        ),
    ]);
    chapter.section("Sign to sign");
    for (body, lead) in [
        (Body::Moon, "In daily life"),
        (Body::Sun, "In public"),
        (Body::Venus, "In tenderness"),
        (Body::Mars, "In a quarrel"),
        (Body::Jupiter, "In what they believe"),
        (Body::Saturn, "In hard times"),
    ] {
        let (x, y) = (sidereal(one, body), sidereal(other, body));
        let away = (part(y, 12) + 12 - part(x, 12)) % 12 + 1;
        chapter.say(&[
            format!("{lead} {} counts: it is at {} for {a}, at {} for {b}, the {} sign from the first.", body.name(), place(x), place(y), ordinal(small(away))),
            match away {
                1 => format!("With {} in one sign, {a} and {b} hardly need words.", body.name()),
                7 => format!("{} looks across at its own kind, and {a} sees in {b} what is missing here.", body.name()),
                5 | 9 => format!("{} of {a} and of {b} are of one element, and encourage each other.", body.name()),
                6 | 8 => format!("{} makes {a} and {b} guess; asking is quicker.", body.name()),
                _ => format!("{} is {:.0} degrees apart, near enough for {a} and {b} to learn from each other.", body.name(), apart(x, y)),
            },
        ]);
    }
    chapter.section("Years together");
    let (first, second) = (periods(one), periods(other));
    let mut met = 0;
    for (ruler, from) in first.iter().skip(1).take(6) {
        let theirs = second.iter().rev().find(|(_, begins)| begins <= from);
        let Some((their, _)) = theirs else { continue };
        met += 1;
        chapter.say(&[format!(
            "From {} on, {a} lives in the years of {}, while those of {} run for {b}: {} on the one side, {} on the other.",
            long(*from), RULERS[*ruler].0, RULERS[*their].0, RULERS[*ruler].2, RULERS[*their].2
        )]);
    }
    if met == 0 {
        chapter.say(&[format!(
            "The years of {a} and those of {b} lie in different ages."
        )]);
    }
}
