//! Human design: the circle in sixty-four gates, at birth and at the moment when the Sun stood 88 degrees before that.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Chapter, SMALL, Subject, counted, listed, ordinal, part};
use crate::sky::{Body, Sky, signed};

/// The gates in the order of the circle, from the second degree of Aquarius on.
#[rustfmt::skip]
const WHEEL: [u8; 64] = [
    41, 19, 13, 49, 30, 55, 37, 63, 22, 36, 25, 17, 21, 51, 42, 3, 27, 24, 2, 23, 8, 20, 16, 35, 45, 12, 15, 52, 39, 53, 62, 56,
    31, 33, 7, 4, 29, 59, 40, 64, 47, 6, 46, 18, 48, 57, 32, 50, 28, 44, 1, 43, 14, 34, 9, 5, 26, 11, 10, 58, 38, 54, 61, 60,
];
const FIRST_GATE: f64 = 302.0;

/// The hexagrams of the Book of Changes, by number.
#[rustfmt::skip]
const HEXAGRAMS: [&str; 64] = [
    "Creative Force", "Receptive Ground", "Difficulty at the Start", "Youthful Inexperience", "Waiting", "Conflict", "The Army", "Holding Together",
    "Small Restraint", "Treading", "Peace", "Standstill", "Fellowship", "Great Possession", "Modesty", "Enthusiasm",
    "Following", "Repair", "Approach", "Contemplation", "Biting Through", "Grace", "Splitting Apart", "Return",
    "Innocence", "Great Restraint", "Nourishment", "Great Weight", "The Deep", "Clinging Fire", "Influence", "Duration",
    "Retreat", "Great Power", "Progress", "Darkened Light", "The Family", "Opposition", "Obstruction", "Release",
    "Decrease", "Increase", "Breakthrough", "Coming to Meet", "Gathering", "Pushing Upward", "Exhaustion", "The Well",
    "Revolution", "The Cauldron", "Thunder", "Keeping Still", "Gradual Progress", "The Second Wife", "Abundance", "The Wanderer",
    "Gentle Wind", "Joy", "Dispersion", "Limitation", "Inner Truth", "Small Excess", "After Completion", "Before Completion",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Center {
    Head,
    Mind,
    Throat,
    Identity,
    Will,
    Feeling,
    Response,
    Instinct,
    Pressure,
}

impl Center {
    const ALL: [Self; 9] = [
        Self::Head,
        Self::Mind,
        Self::Throat,
        Self::Identity,
        Self::Will,
        Self::Feeling,
        Self::Response,
        Self::Instinct,
        Self::Pressure,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Head => "the head",
            Self::Mind => "the mind",
            Self::Throat => "the throat",
            Self::Identity => "the centre of identity",
            Self::Will => "the centre of will",
            Self::Feeling => "the centre of feeling",
            Self::Response => "the sacral centre",
            Self::Instinct => "the centre of instinct",
            Self::Pressure => "the root",
        }
    }

    /// What is steady where it is defined, and taken in from others where it is open.
    const fn subject(self) -> &'static str {
        match self {
            Self::Head => "which questions are worth asking",
            Self::Mind => "how an opinion is formed",
            Self::Throat => "when to speak and when to act",
            Self::Identity => "where one is going, and who that is",
            Self::Will => "how much can be promised",
            Self::Feeling => "the weather of the day",
            Self::Response => "how long strength lasts",
            Self::Instinct => "what is safe",
            Self::Pressure => "how urgent things are",
        }
    }
}

use Center::{Feeling, Head, Identity, Instinct, Mind, Pressure, Response, Throat, Will};

#[rustfmt::skip]
const CHANNELS: [(u8, u8, Center, Center); 36] = [
    (64, 47, Head, Mind), (61, 24, Head, Mind), (63, 4, Head, Mind),
    (17, 62, Mind, Throat), (43, 23, Mind, Throat), (11, 56, Mind, Throat),
    (31, 7, Throat, Identity), (8, 1, Throat, Identity), (33, 13, Throat, Identity), (20, 10, Throat, Identity),
    (20, 34, Throat, Response), (16, 48, Throat, Instinct), (20, 57, Throat, Instinct), (35, 36, Throat, Feeling), (12, 22, Throat, Feeling), (45, 21, Throat, Will),
    (15, 5, Identity, Response), (2, 14, Identity, Response), (46, 29, Identity, Response), (10, 34, Identity, Response),
    (25, 51, Identity, Will), (10, 57, Identity, Instinct), (26, 44, Will, Instinct), (40, 37, Will, Feeling),
    (34, 57, Response, Instinct), (27, 50, Response, Instinct), (59, 6, Response, Feeling),
    (3, 60, Response, Pressure), (42, 53, Response, Pressure), (9, 52, Response, Pressure),
    (18, 58, Instinct, Pressure), (28, 38, Instinct, Pressure), (32, 54, Instinct, Pressure),
    (49, 19, Feeling, Pressure), (55, 39, Feeling, Pressure), (30, 41, Feeling, Pressure),
];

const LINES: [&str; 6] = [
    "who wants to know the ground before standing on it",
    "who does best what nobody has taught",
    "who finds out by trying what does not work",
    "who reaches the world through friends",
    "whom others expect to have the answer",
    "who looks from the roof before coming down",
];

/// Gate and line of a place.
fn gate(longitude: f64) -> (u8, usize) {
    let along = longitude - FIRST_GATE;
    (WHEEL[part(along, 64)], part(along, 384) % 6 + 1)
}

fn activations(sky: Sky) -> Vec<(String, (u8, usize))> {
    let sun = sky.longitude(Body::Sun);
    let node = sky.longitude(Body::Node);
    let mut found = vec![
        ("the Sun".to_owned(), gate(sun)),
        ("the Earth".to_owned(), gate(sun + 180.0)),
        ("the north node".to_owned(), gate(node)),
        ("the south node".to_owned(), gate(node + 180.0)),
    ];
    found.extend(
        Body::PLANETS
            .iter()
            .skip(1)
            .map(|body| (body.name().to_owned(), gate(sky.longitude(*body)))),
    );
    found
}

/// When the Sun stood 88 degrees before its place at birth: about 88 days earlier.
fn design(birth: Sky) -> Sky {
    let wanted = birth.longitude(Body::Sun) - 88.0;
    (0..8).fold(birth.later(-89.0), |sky, _| {
        sky.later(signed(wanted - sky.longitude(Body::Sun)) / 0.9856)
    })
}

pub(super) struct Design {
    birth: Vec<(String, (u8, usize))>,
    before: Vec<(String, (u8, usize))>,
    gates: BTreeSet<u8>,
    channels: Vec<(u8, u8, Center, Center)>,
    centers: BTreeSet<Center>,
    pub(super) kind: &'static str,
    pub(super) profile: (usize, usize),
    pub(super) authority: &'static str,
}

pub(super) fn of(person: &Subject) -> Design {
    let (birth, before) = (activations(person.sky), activations(design(person.sky)));
    let gates: BTreeSet<u8> = birth
        .iter()
        .chain(&before)
        .map(|(_, (gate, _))| *gate)
        .collect();
    let channels = joined(&gates);
    let centers: BTreeSet<Center> = channels
        .iter()
        .flat_map(|channel| [channel.2, channel.3])
        .collect();
    Design {
        kind: kind(&centers, &channels),
        profile: (birth[0].1.1, before[0].1.1),
        authority: authority(&centers),
        birth,
        before,
        gates,
        channels,
        centers,
    }
}

fn joined(gates: &BTreeSet<u8>) -> Vec<(u8, u8, Center, Center)> {
    CHANNELS
        .into_iter()
        .filter(|channel| gates.contains(&channel.0) && gates.contains(&channel.1))
        .collect()
}

fn kind(centers: &BTreeSet<Center>, channels: &[(u8, u8, Center, Center)]) -> &'static str {
    let mut reached = BTreeSet::from([Throat]);
    for _ in Center::ALL {
        for channel in channels {
            if reached.contains(&channel.2) || reached.contains(&channel.3) {
                reached.extend([channel.2, channel.3]);
            }
        }
    }
    let moves = [Will, Feeling, Response, Pressure]
        .iter()
        .any(|motor| reached.contains(motor));
    match (centers.is_empty(), centers.contains(&Response), moves) {
        (true, ..) => "Reflector",
        (_, true, true) => "Manifesting Generator",
        (_, true, false) => "Generator",
        (_, false, true) => "Manifestor",
        (_, false, false) => "Projector",
    }
}

fn authority(centers: &BTreeSet<Center>) -> &'static str {
    let order = [
        (Feeling, "waiting until a feeling has had its ups and downs"),
        (
            Response,
            "the first sound that the body makes to a question",
        ),
        (Instinct, "a quiet warning that comes only once"),
        (Will, "whether the heart is in it"),
        (Identity, "what is said aloud when the right person listens"),
    ];
    let found = order.iter().find(|(center, _)| centers.contains(center));
    found.map_or("a month of sleeping on it, in good company", |(_, how)| how)
}

fn strategy(kind: &str) -> &'static str {
    match kind {
        "Manifestor" => "to tell those who are concerned before beginning",
        "Generator" => "to wait for something to answer to",
        "Manifesting Generator" => {
            "to answer first, to say so, and then to skip the steps that are not needed"
        }
        "Projector" => "to wait for the invitation in the large matters",
        _ => "to wait for a whole turn of the Moon before a large decision",
    }
}

fn hexagram(gate: u8) -> &'static str {
    HEXAGRAMS[usize::from(gate) - 1]
}

pub(super) fn facts(person: &Subject) -> Value {
    let found = of(person);
    let list = |activations: &[(String, (u8, usize))]| -> BTreeMap<String, String> {
        activations
            .iter()
            .map(|(body, (gate, line))| {
                (
                    body.trim_start_matches("the ").to_lowercase(),
                    format!("{gate}.{line}"),
                )
            })
            .collect()
    };
    json!({
        "type": found.kind, "profile": format!("{}/{}", found.profile.0, found.profile.1), "authority": found.authority,
        "birth": list(&found.birth), "design": list(&found.before),
        "channels": found.channels.iter().map(|channel| format!("{}-{}", channel.0, channel.1)).collect::<Vec<_>>(),
        "centers": found.centers.iter().map(|center| center.name().trim_start_matches("the ")).collect::<Vec<_>>(),
    })
}

pub(super) fn one(person: &Subject, chapter: &mut Chapter) {
    let (name, found) = (&person.name, of(person));
    chapter.section(format!(
        "{} with profile {}/{}",
        found.kind, found.profile.0, found.profile.1
    ));
    chapter.say(&[
        format!("{name}, born on {}, is a {} in this system, which divides the circle into sixty-four gates named after the Book of Changes.", person.born(), found.kind),
        format!("The advice to a {} is {}, and {name} will know it from the times when it was not followed.", found.kind, strategy(found.kind)),
        format!("Decisions of {name} are to be made by {}.", found.authority),
    ]);
    let (outer, inner) = found.profile;
    chapter.say(&[
        format!(
            "The profile has two lines: {name} knows the {} and lives the {} without noticing.",
            ordinal_line(outer),
            ordinal_line(inner)
        ),
        if outer == inner {
            format!(
                "Both are the same, so {name} is through and through somebody {}.",
                LINES[outer - 1]
            )
        } else {
            format!(
                "The first makes {name} somebody {}, the second somebody {}.",
                LINES[outer - 1],
                LINES[inner - 1]
            )
        },
    ]);
    chapter.section("What is steady");
    let open: Vec<Center> = Center::ALL
        .into_iter()
        .filter(|center| !found.centers.contains(center))
        .collect();
    chapter.say(&[format!(
        "Of the nine centres, {} defined in {name} and {} open.",
        are(found.centers.len()),
        are(open.len())
    )]);
    for center in &found.centers {
        chapter.say(&[format!("{} is defined: {name} has a way of one's own with {}, and it does not change with the company.", center.name(), center.subject())]);
    }
    chapter.section("What is open");
    for center in &open {
        chapter.say(&[format!(
            "{} is open: in {}, {name} takes in what is around and gives it back stronger.",
            center.name(),
            center.subject()
        )]);
    }
    if open.is_empty() {
        chapter.say(&[format!(
            "No centre of {name} is open, which is rare: the surroundings change little."
        )]);
    }
    chapter.section("Channels");
    if found.channels.is_empty() {
        chapter.say(&[format!(
            "No channel is complete in {name}: every one is finished by somebody else."
        )]);
    }
    for channel in &found.channels {
        chapter.say(&[format!(
            "The channel {}–{} joins {} and {}: {name} turns {} into {}.",
            channel.0,
            channel.1,
            channel.2.name(),
            channel.3.name(),
            hexagram(channel.0),
            hexagram(channel.1)
        )]);
    }
    chapter.section("Gates");
    for (when, list) in [
        ("At birth", &found.birth),
        ("Eighty-eight degrees earlier", &found.before),
    ] {
        let named: Vec<String> = list
            .iter()
            .map(|(body, (gate, line))| {
                format!("{body} in gate {gate}, {}, line {line}", hexagram(*gate))
            })
            .collect();
        chapter.say(&[format!("{when} {name} had {}.", listed(&named))]);
    }
}

fn ordinal_line(line: usize) -> String {
    format!("{} line", ordinal(u32::try_from(line).unwrap_or_default()))
}

fn are(count: usize) -> String {
    format!("{} {}", SMALL[count], if count == 1 { "is" } else { "are" })
}

pub(super) fn both(one: &Subject, other: &Subject, chapter: &mut Chapter) {
    let (a, b) = (&one.name, &other.name);
    let (mine, theirs) = (of(one), of(other));
    chapter.section("Two types");
    chapter.say(&[
        format!("{a} is a {} of profile {}/{}, {b} a {} of profile {}/{}.", mine.kind, mine.profile.0, mine.profile.1, theirs.kind, theirs.profile.0, theirs.profile.1),
        format!("{a} does well {}; {b} does well {}.", strategy(mine.kind), strategy(theirs.kind)),
        if mine.authority == theirs.authority {
            format!("Both decide by {}, which spares {a} and {b} one kind of argument.", mine.authority)
        } else {
            format!("{a} decides by {}, {b} by {}: neither should be hurried into the way of the other.", mine.authority, theirs.authority)
        },
    ]);
    chapter.section("Channels that only the two have");
    let all: BTreeSet<u8> = mine.gates.union(&theirs.gates).copied().collect();
    let made: Vec<_> = joined(&all)
        .into_iter()
        .filter(|channel| {
            let has = |design: &Design, gate| design.gates.contains(&gate);
            let whole = |design: &Design| has(design, channel.0) && has(design, channel.1);
            !whole(&mine) && !whole(&theirs)
        })
        .collect();
    chapter.say(&[
        format!("Where one has the gate at one end and the other the gate at the other end, a channel appears while they are in a room; {a} and {b} have {}.", counted(made.len(), "such channel")),
    ]);
    for channel in &made {
        let (gives, takes) = if mine.gates.contains(&channel.0) {
            (a, b)
        } else {
            (b, a)
        };
        chapter.say(&[format!(
            "{}–{}: {gives} brings {}, {takes} brings {}, and together they join {} and {}.",
            channel.0,
            channel.1,
            hexagram(channel.0),
            hexagram(channel.1),
            channel.2.name(),
            channel.3.name()
        )]);
    }
    chapter.section("Centres");
    for center in Center::ALL {
        let sentence = match (
            mine.centers.contains(&center),
            theirs.centers.contains(&center),
        ) {
            (true, true) => format!(
                "{} is defined in both: about {}, {a} and {b} each have a view that stays.",
                center.name(),
                center.subject()
            ),
            (true, false) => format!(
                "{} is defined in {a} and open in {b}: about {}, {b} hears {a} more loudly than intended.",
                center.name(),
                center.subject()
            ),
            (false, true) => format!(
                "{} is open in {a} and defined in {b}: about {}, {a} is carried by {b}.",
                center.name(),
                center.subject()
            ),
            (false, false) => format!(
                "{} is open in both: about {}, {a} and {b} depend on who else is there.",
                center.name(),
                center.subject()
            ),
        };
        chapter.say(&[sentence]);
    }
    chapter.section("Shared gates");
    let shared: Vec<String> = mine
        .gates
        .intersection(&theirs.gates)
        .map(|gate| format!("{gate}, {}", hexagram(*gate)))
        .collect();
    chapter.say(&[if shared.is_empty() {
        format!("{a} and {b} have no gate in common, so there is always something to explain.")
    } else {
        format!(
            "{a} and {b} share {}: {}.",
            counted(shared.len(), "gate"),
            shared.join("; ")
        )
    }]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_stands_once_on_the_wheel_and_every_channel_joins_two_of_them() {
        let gates: BTreeSet<u8> = WHEEL.into_iter().collect();
        assert_eq!(gates, (1..=64).collect());
        assert!(
            CHANNELS
                .iter()
                .all(|channel| gates.contains(&channel.0) && gates.contains(&channel.1))
        );
    }

    #[test]
    fn gates_begin_where_the_wheel_says() {
        assert_eq!(gate(302.1), (41, 1));
        assert_eq!(gate(358.3), (25, 1));
        assert_eq!(gate(3.8).0, 25);
        assert_eq!(gate(301.9), (60, 6));
    }

    #[test]
    fn the_design_is_88_degrees_of_the_sun_before_birth() {
        let birth = Sky::at("1990-05-17T12:00:00Z".parse().unwrap());
        let apart = signed(birth.longitude(Body::Sun) - design(birth).longitude(Body::Sun));
        assert!((apart - 88.0).abs() < 0.0001, "{apart}");
    }
}
