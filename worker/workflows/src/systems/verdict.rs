//! What the systems say together about two people.

use super::signs;
use super::{Chapter, Subject, apart, calendar, counted, human_design, numbers, vedic, western};
use crate::sky::Body;

pub(super) fn both(one: &Subject, other: &Subject, chapter: &mut Chapter) {
    let (a, b) = (&one.name, &other.name);
    let (mine, theirs) = (signs::of(one.at(Body::Sun)), signs::of(other.at(Body::Sun)));
    chapter.section("In one page");
    chapter.say(&[
        format!("{a}, born on {}, and {b}, born on {}, have now been looked at in five ways.", one.born(), other.born()),
        "None of them knows anything of the others, so it means a little more where they agree, and a little less where they do not.".to_owned(),
        format!("Here is what was found about {a} and {b}, each with the figure that it rests on."),
    ]);
    let angles = western::between(one, other);
    let soft = angles
        .iter()
        .filter(|found| matches!(found.name, "trine" | "sextile"))
        .count();
    let hard = angles
        .iter()
        .filter(|found| matches!(found.name, "square" | "opposition"))
        .count();
    chapter.section("What the charts say");
    chapter.say(&[
        format!(
            "The western chart sees {} meet {}, with the Moons {:.0} degrees apart.",
            mine.name,
            theirs.name,
            apart(one.at(Body::Moon), other.at(Body::Moon))
        ),
        format!(
            "Between {a} and {b} it counts {} that help and {} that resist.",
            counted(soft, "angle"),
            counted(hard, "angle")
        ),
        match soft.cmp(&hard) {
            std::cmp::Ordering::Greater => format!(
                "So the days of {a} and {b} go easily, and the effort has to be looked for."
            ),
            std::cmp::Ordering::Less => {
                format!("So {a} and {b} have work to do with each other, and it keeps both awake.")
            }
            std::cmp::Ordering::Equal => {
                format!("So ease and effort hold the balance for {a} and {b}.")
            }
        },
    ]);
    let ((home, purpose), (their_home, their_purpose)) =
        (vedic::moon_mansion(one), vedic::moon_mansion(other));
    chapter.say(&[
        format!("The vedic chart has the Moon of {a} in {home} and that of {b} in {their_home}, {} of the twenty-seven mansions on.", vedic::steps(one, other)),
        format!("{a} is there for {purpose} and {b} for {their_purpose}, which is the shortest account of the two."),
    ]);
    let (design, their) = (human_design::of(one), human_design::of(other));
    chapter.say(&[
        format!("By design {a} is a {} with {}/{} and {b} a {} with {}/{}.", design.kind, design.profile.0, design.profile.1, their.kind, their.profile.0, their.profile.1),
        if design.kind == their.kind {
            format!("Two of a kind: the advice to {a} is the advice to {b}.")
        } else {
            format!("A {} and a {} go at different speeds, and {a} and {b} should say so before a journey.", design.kind, their.kind)
        },
        format!("{a} decides by {}.", design.authority),
    ]);
    chapter.section("What the counts say");
    let (count, their_count) = (numbers::of(one), numbers::of(other));
    chapter.say(&[
        format!("In numbers the path of {a} is {} and that of {b} is {}; the names come to {} and {}.", count.path, their_count.path, count.expression, their_count.expression),
        if count.path == their_count.path {
            format!("On one path, {a} and {b} will either race or keep each other company.")
        } else {
            format!("The paths {} and {} cross rather than run side by side, and {a} and {b} meet at the crossings.", count.path, their_count.path)
        },
    ]);
    let days = calendar::facts(one);
    let other_days = calendar::facts(other);
    let word =
        |facts: &serde_json::Value, key: &str| facts[key].as_str().unwrap_or_default().to_owned();
    chapter.say(&[
        format!(
            "The calendar adds a {} in {} for {a} and a {} in {} for {b}.",
            word(&days, "weekday"),
            word(&days, "season"),
            word(&other_days, "weekday"),
            word(&other_days, "season")
        ),
        format!(
            "{a} came under {}, {b} under {}.",
            word(&days, "moon"),
            word(&other_days, "moon")
        ),
    ]);
    chapter.section("Where they agree");
    let agreements = agreements(one, other);
    if agreements.is_empty() {
        chapter.say(&[format!("No two of the five agree about {a} and {b}, which leaves the matter where it belongs: with the two.")]);
    }
    for agreement in &agreements {
        chapter.say(std::slice::from_ref(agreement));
    }
    chapter.section("What to make of it");
    chapter.say(&[
        format!(
            "If {a} takes one thing from these pages, let it be {}, which {b} has and shows.",
            theirs.gift
        ),
        format!(
            "If {b} takes one thing, let it be {}, as {a} does it.",
            mine.gift
        ),
        format!(
            "What both should forgive early is {} in {a} and {} in {b}.",
            mine.trap, theirs.trap
        ),
    ]);
    chapter.say(&[
        format!("A good arrangement for {a} and {b} has two parts: {} for the one, {} for the other.", mine.need, theirs.need),
        format!("Everything else about {a} and {b} is not written in any sky, and the two will have to find it out."),
    ]);
}

fn agreements(one: &Subject, other: &Subject) -> Vec<String> {
    let (a, b) = (&one.name, &other.name);
    let elements = |longitude: fn(&Subject) -> f64| {
        (
            signs::of(longitude(one)).element,
            signs::of(longitude(other)).element,
        )
    };
    let (sun, moon) = (
        elements(|person| person.at(Body::Sun)),
        elements(|person| person.at(Body::Moon)),
    );
    let mut found = Vec::new();
    if sun.0 == sun.1 {
        found.push(format!(
            "The Suns of {a} and {b} are both of {}: they want things in the same way.",
            sun.0
        ));
    } else {
        found.push(format!(
            "The Suns are of {} and {}: {a} supplies what {b} lacks, and the other way round.",
            sun.0, sun.1
        ));
    }
    if moon.0 == moon.1 {
        found.push(format!(
            "The Moons are both of {}, and {a} and {b} rest in the same kind of room.",
            moon.0
        ));
    } else {
        found.push(format!("The Moons are of {} and {}, so {a} and {b} should not expect the other to be tired at the same hour.", moon.0, moon.1));
    }
    let (x, y) = (human_design::of(one), human_design::of(other));
    if x.profile.0 == y.profile.0 || x.profile.1 == y.profile.1 {
        found.push(format!(
            "The profiles {}/{} and {}/{} share a line, by which {a} and {b} recognise each other.",
            x.profile.0, x.profile.1, y.profile.0, y.profile.1
        ));
    }
    let (n, m) = (numbers::of(one), numbers::of(other));
    if n.expression == m.expression {
        found.push(format!(
            "The names of {a} and {b} have the same number, {}.",
            n.expression
        ));
    } else if n.path == m.expression || n.expression == m.path {
        found.push(format!(
            "The path of the one has the number of the other's name: {a} and {b} pull at one rope."
        ));
    }
    found
}
