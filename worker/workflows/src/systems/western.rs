//! The tropical zodiac: signs are counted from the point of spring.

use serde_json::{Map, Value, json};

use super::signs::{self, place};
use super::{Chapter, Subject, apart, counted, listed};
use crate::sky::Body;

/// Angles that count, how far they may be off, and what two planets do at such an angle.
const ASPECTS: [(f64, f64, &str, &str); 5] = [
    (0.0, 7.0, "conjunction", "speak with one voice"),
    (60.0, 4.0, "sextile", "help each other when asked"),
    (
        90.0,
        6.0,
        "square",
        "get in each other's way, and so get things done",
    ),
    (120.0, 6.0, "trine", "agree before anybody has said a word"),
    (
        180.0,
        7.0,
        "opposition",
        "pull from two ends, and the middle is where it is settled",
    ),
];

/// What a planet stands for, in the middle of a sentence.
const fn role(body: Body) -> &'static str {
    match body {
        Body::Sun => "the will",
        Body::Moon => "the mood",
        Body::Mercury => "the wits",
        Body::Venus => "the taste",
        Body::Mars => "the drive",
        Body::Jupiter => "the confidence",
        Body::Saturn => "the conscience",
        Body::Uranus => "the wish to break free",
        Body::Neptune => "the dream",
        Body::Pluto => "the undertow",
        Body::Node => "the direction",
    }
}

pub(super) struct Aspect {
    pub(super) one: Body,
    pub(super) other: Body,
    pub(super) name: &'static str,
    pub(super) does: &'static str,
    pub(super) off: f64,
}

fn aspect(one: (Body, f64), other: (Body, f64)) -> Option<Aspect> {
    let angle = apart(one.1, other.1);
    ASPECTS.iter().find_map(|&(exact, allowed, name, does)| {
        let off = (angle - exact).abs();
        (off <= allowed).then_some(Aspect {
            one: one.0,
            other: other.0,
            name,
            does,
            off,
        })
    })
}

fn placed(person: &Subject) -> Vec<(Body, f64)> {
    Body::PLANETS.map(|body| (body, person.at(body))).to_vec()
}

// The closest first.
fn aspects(person: &Subject) -> Vec<Aspect> {
    let all = placed(person);
    let mut found: Vec<_> = (0..all.len())
        .flat_map(|at| (at + 1..all.len()).map(move |other| (at, other)))
        .filter_map(|(at, other)| aspect(all[at], all[other]))
        .collect();
    found.sort_by(|a, b| a.off.total_cmp(&b.off));
    found
}

pub(super) fn between(one: &Subject, other: &Subject) -> Vec<Aspect> {
    let (mine, theirs) = (placed(one), placed(other));
    let mut found: Vec<_> = mine
        .iter()
        .take(7)
        .flat_map(|&here| {
            theirs
                .iter()
                .take(7)
                .filter_map(move |&there| aspect(here, there))
        })
        .collect();
    found.sort_by(|a, b| a.off.total_cmp(&b.off));
    found
}

pub(super) fn facts(person: &Subject) -> Value {
    let places: Map<_, _> = placed(person)
        .into_iter()
        .map(|(body, longitude)| {
            let fact = json!({
                "longitude": (longitude * 100.0).round() / 100.0, "sign": signs::of(longitude).name, "retrograde": person.sky.is_retrograde(body),
            });
            (body.name().trim_start_matches("the ").to_lowercase(), fact)
        })
        .collect();
    let aspects: Vec<_> = aspects(person)
        .iter()
        .take(8)
        .map(|found| format!("{} {} {}", found.one.name(), found.name, found.other.name()))
        .collect();
    json!({ "places": places, "aspects": aspects })
}

pub(super) fn one(person: &Subject, chapter: &mut Chapter) {
    let name = &person.name;
    chapter.section(format!("The sky of {}", person.born()));
    let hour = if person.has_hour {
        format!("The hour is known, so every figure for {name} is that of the very minute.")
    } else {
        format!(
            "No hour of birth was given for {name}: the sky is that of noon in Greenwich, and the Moon may have stood up to seven degrees to either side."
        )
    };
    let elements = ["fire", "earth", "air", "water"].map(|element| {
        let count = placed(person)
            .iter()
            .filter(|(_, longitude)| signs::of(*longitude).element == element)
            .count();
        (element, count)
    });
    let most = elements
        .iter()
        .max_by_key(|(_, count)| *count)
        .map_or("fire", |(element, _)| *element);
    let missing: Vec<String> = elements
        .iter()
        .filter(|(_, count)| *count == 0)
        .map(|(element, _)| (*element).to_owned())
        .collect();
    let rest = if missing.is_empty() {
        format!("None of the four is missing, so {name} can find a way into most rooms.")
    } else {
        format!(
            "Nothing at all stands in {}, and {name} tends to look for it in other people.",
            listed(&missing)
        )
    };
    let shares: Vec<String> = elements
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(element, count)| format!("{} in {element}", counted(*count, "planet")))
        .collect();
    chapter.say(&[
        hour,
        format!(
            "Of the ten bodies that are counted, {name} has {}; {most} sets the tone.",
            listed(&shares)
        ),
        rest,
    ]);

    for (title, bodies) in [
        ("Sun and Moon", &[Body::Sun, Body::Moon][..]),
        (
            "How it thinks, likes and acts",
            &[Body::Mercury, Body::Venus, Body::Mars],
        ),
        ("Room and measure", &[Body::Jupiter, Body::Saturn]),
    ] {
        chapter.section(title);
        for body in bodies {
            chapter.say(&placement(person, *body));
        }
    }
    chapter.say(&slow(person));
    angles(person, chapter);
}

fn placement(person: &Subject, body: Body) -> Vec<String> {
    let (name, longitude) = (&person.name, person.at(body));
    let (sign, spot) = (signs::of(longitude), place(longitude));
    let back = if person.sky.is_retrograde(body) {
        ", moving backwards"
    } else {
        ""
    };
    let gap = apart(longitude, person.at(Body::Sun)).round();
    let (style, gift, need, trap) = (sign.style, sign.gift, sign.need, sign.trap);
    match body {
        Body::Sun => vec![
            format!(
                "{name} was born with the Sun at {spot}, a {} sign of {}.",
                sign.mode, sign.element
            ),
            format!("At the centre of the chart of {name}, then, stands {style}."),
            format!(
                "What {name} does best is {gift}, and a week without any of that feels longer than it is."
            ),
            format!("The price that {name} pays is {trap}, most of all when nobody is looking."),
        ],
        Body::Moon => vec![
            format!("The Moon of {name} was at {spot}, and it says what calms and what unsettles."),
            format!(
                "To feel at home, {name} asks for {need}; moods pass quickly where that is given."
            ),
            format!("Under strain the Moon of {name} answers with {trap}."),
            format!(
                "Those who live close to {name} know the other side of it: {style}, offered without being asked for."
            ),
        ],
        Body::Mercury => vec![
            format!(
                "At the birth of {name}, Mercury stood at {spot}{back}, {gap} degrees from the Sun."
            ),
            format!("{name} thinks and talks with {style}."),
            format!("In a discussion {name} shows it by {gift}."),
            if back.is_empty() {
                format!("First drafts by {name} are usually close to the last ones.")
            } else {
                format!(
                    "Since it was moving backwards, the better answer of {name} is often the second one, a day later."
                )
            },
        ],
        Body::Venus => vec![
            format!("Venus was at {spot}{back} when {name} was born."),
            format!("In what and whom {name} likes, {style} wins over looks."),
            format!("A friendship of {name} lasts where there is {need}."),
            format!("It goes wrong by {trap}, which {name} recognises sooner in others."),
        ],
        Body::Mars => vec![
            format!("Mars had reached {spot}{back}, {gap} degrees from the Sun of {name}."),
            format!(
                "{name} gets angry rarely or often, but always in the manner of {}: with {style}.",
                sign.name
            ),
            format!("Given {need}, the force of {name} becomes useful within the hour."),
        ],
        Body::Jupiter => vec![
            format!(
                "Jupiter, which takes twelve years for its round, was passing {spot}{back} at the birth of {name}."
            ),
            format!("Luck comes more easily to {name} by {gift} than by effort of any other kind."),
            format!("Too much of the good thing looks, in {name}, like {trap}."),
        ],
        _ => vec![
            format!(
                "Saturn was at {spot}{back}, and comes back there when {name} is twenty-nine and again at fifty-nine."
            ),
            format!("It marks the subject in which {name} is given nothing for free: {style}."),
            format!("What {name} has learnt there, slowly, others later come to ask for: {gift}."),
        ],
    }
}

fn slow(person: &Subject) -> Vec<String> {
    let name = &person.name;
    let at = |body| place(person.at(body));
    let near = aspects(person)
        .into_iter()
        .find(|found| found.one < Body::Jupiter && found.other > Body::Saturn);
    let own = near.map_or_else(
        || format!("None of the three touches a fast planet of {name}: the great changes of the time are watched more than suffered."),
        |found| {
            format!(
                "For {name} it becomes personal where {} and {} form a {} that is exact to {:.1} degrees: {} and {} {}.",
                found.other.name(), found.one.name(), found.name, found.off, role(found.other), role(found.one), found.does
            )
        },
    );
    vec![
        format!(
            "The slow planets are shared with a whole generation: Uranus at {}, Neptune at {}, Pluto at {} when {name} was born.",
            at(Body::Uranus),
            at(Body::Neptune),
            at(Body::Pluto)
        ),
        own,
    ]
}

fn angles(person: &Subject, chapter: &mut Chapter) {
    let name = &person.name;
    chapter.section("Angles");
    let found = aspects(person);
    chapter.say(&[
        format!("Between the planets of {name} there are {}, counting those of 0, 60, 90, 120 and 180 degrees.", counted(found.len(), "angle")),
        format!("{name} feels the closest ones the most, so they come first."),
    ]);
    for found in found.iter().take(4) {
        chapter.say(&[format!(
            "{} and {} form a {} that is {:.1} degrees from exact: in {name}, {} and {} {}.",
            found.one.name(),
            found.other.name(),
            found.name,
            found.off,
            role(found.one),
            role(found.other),
            found.does
        )]);
    }
    let node = person.at(Body::Node);
    chapter.say(&[
        format!(
            "The Moon's node, at {}, is read as the direction in which {name} grows.",
            place(node)
        ),
        format!(
            "It points {name} towards {}, and away from {}.",
            signs::of(node).need,
            signs::of(node + 180.0).trap
        ),
    ]);
}

pub(super) fn both(one: &Subject, other: &Subject, chapter: &mut Chapter) {
    let (a, b) = (&one.name, &other.name);
    chapter.section("Two Suns");
    let (sun, their) = (one.at(Body::Sun), other.at(Body::Sun));
    let (sign, theirs) = (signs::of(sun), signs::of(their));
    chapter.say(&[
        format!("{a} has the Sun at {}, {b} at {}; the two places are {:.0} degrees apart.", place(sun), place(their), apart(sun, their)),
        if sign.element == theirs.element {
            format!("Both signs are of {}, so {a} and {b} rarely have to explain what moves them.", sign.element)
        } else {
            format!("One sign is of {}, the other of {}: {a} and {b} want the same things for different reasons.", sign.element, theirs.element)
        },
        format!("{a} brings {}, {b} brings {}.", sign.style, theirs.style),
    ]);
    chapter.section("Two Moons");
    let (moon, their) = (one.at(Body::Moon), other.at(Body::Moon));
    chapter.say(&[
        format!(
            "At home the Moons count for more: that of {a} is at {}, that of {b} at {}.",
            place(moon),
            place(their)
        ),
        format!(
            "{a} settles down with {}, {b} with {}.",
            signs::of(moon).need,
            signs::of(their).need
        ),
        format!(
            "A bad evening of {a} looks like {}; one of {b} looks like {}.",
            signs::of(moon).trap,
            signs::of(their).trap
        ),
    ]);
    chapter.section("From chart to chart");
    let found = between(one, other);
    chapter.say(&[
        format!(
            "Laid over each other, the seven classical planets of {a} and those of {b} form {}.",
            counted(found.len(), "angle")
        ),
        format!(
            "The chart of each remains what it was; these are the places where {a} and {b} touch."
        ),
    ]);
    for found in found.iter().take(7) {
        chapter.say(&[format!(
            "{} of {a} and {} of {b} form a {}, {:.1} degrees from exact: {} of the one and {} of the other {}.",
            found.one.name(), found.other.name(), found.name, found.off, role(found.one), role(found.other), found.does
        )]);
    }
    chapter.section("Love and work");
    for (body, lead) in [
        (Body::Venus, "What they like"),
        (Body::Mars, "What they do about it"),
        (Body::Mercury, "How they talk of it"),
        (Body::Saturn, "Where they are strict"),
    ] {
        let (mine, yours) = (one.at(body), other.at(body));
        let (sign, theirs) = (signs::of(mine), signs::of(yours));
        chapter.say(&[
            format!(
                "{lead}: {} stands at {} for {a} and at {} for {b}.",
                body.name(),
                place(mine),
                place(yours)
            ),
            if sign.name == theirs.name {
                format!(
                    "With {} in one sign, {a} and {b} share the talent of {}.",
                    role(body),
                    sign.gift
                )
            } else {
                format!(
                    "In {}, {a} is good at {}, and {b} at {}.",
                    role(body).replace("the ", "matters of the "),
                    sign.gift,
                    theirs.gift
                )
            },
        ]);
    }
}
