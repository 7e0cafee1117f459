//! A text written by a grammar with a seed: no model, no key, no network.

use std::collections::HashMap;

use super::calculation::{AllFacts, Facts};
use super::grammar::{Choices, Grammar};
use super::texts::{Document, Section};

/// Three sections about the facts. The same document and facts give the same words.
pub(super) fn write(document: &Document, index: usize, all: &AllFacts) -> Vec<Section> {
    let grammar = Grammar::new(RULES, named(document, all));
    let dates = format!("{} {}", all.person1.born, all.person2.born);
    let mut choices = Choices::seeded(&[
        &document.system,
        &document.about,
        &document.title,
        &index.to_string(),
        &all.person1.name,
        &all.person2.name,
        &dates,
    ]);
    let middle = match document.system.as_str() {
        known @ ("calendar" | "numbers" | "seasons" | "letters" | "distances") => known,
        _ => "verdict",
    };
    let mut section = |title: &str, symbol: &str, sentences: usize| Section {
        title: title.to_owned(),
        text: grammar.sentences(symbol, sentences, &mut choices).join(" "),
    };
    vec![
        section("How it begins", "opening", 3),
        section("What can be counted", middle, 4),
        section("What to make of it", "closing", 3),
    ]
}

fn named(document: &Document, all: &AllFacts) -> HashMap<&'static str, String> {
    let (one, other): (&Facts, &Facts) = match document.about.as_str() {
        "person2" => (&all.person2, &all.person1),
        _ => (&all.person1, &all.person2),
    };
    HashMap::from([
        ("one", one.name.clone()),
        ("other", other.name.clone()),
        (
            "one_born",
            one.born.format("%e %B %Y").to_string().trim().to_owned(),
        ),
        ("one_weekday", one.weekday.clone()),
        ("other_weekday", other.weekday.clone()),
        ("one_day", one.day_of_year.to_string()),
        ("one_season", one.season.clone()),
        ("other_season", other.season.clone()),
        ("one_number", one.number.to_string()),
        ("other_number", other.number.to_string()),
        ("one_letters", one.letters.to_string()),
        ("one_vowels", one.vowels.to_string()),
        ("other_letters", other.letters.to_string()),
        ("days", all.between.days.to_string()),
        ("years", (all.between.days / 365).to_string()),
        ("steps", all.between.numbers.to_string()),
        ("shared", spelled(&all.between.shared_letters)),
    ])
}

fn spelled(letters: &str) -> String {
    let letters: Vec<String> = letters
        .chars()
        .map(|letter| letter.to_uppercase().to_string())
        .collect();
    match letters.as_slice() {
        [] => "no letter at all".to_owned(),
        [one] => format!("the letter {one}"),
        [most @ .., last] => format!("the letters {} and {last}", most.join(", ")),
    }
}

const RULES: &[(&str, &[&str])] = &[
    (
        "opening",
        &[
            "{one} came into the world on a {one_weekday}, the {one_born}, and {remark}.",
            "{whoever} meets {one} for the first time {notices} {quality} before anything else.",
            "on day {one_day} of that year it was {one_season}, and {remark}.",
            "{other} would tell the story {differently}, and would not be wrong.",
            "there is {quality} in {one}, and there is {quality} in how {other} answers it.",
            "a beginning says little, but {remark}.",
        ],
    ),
    (
        "calendar",
        &[
            "the week gave {one} a {one_weekday} and {other} a {other_weekday}, and {remark}.",
            "day {one_day} lies {where_in_year}, where {tendency}.",
            "between the two dates lie {days} days, which is {measure}.",
            "people of a {one_weekday} {tendency_verb} {object}; {one} is {degree} example.",
            "a calendar is {measure}, and yet {remark}.",
        ],
    ),
    (
        "numbers",
        &[
            "the digits of the date come to {one_number}, and {one_number} {number_verb} {object}.",
            "{other} arrives at {other_number}; the two are {steps} apart, which is {measure}.",
            "{one_number} is the number of those who {tendency_verb} {object}.",
            "added once more, nothing changes: {one_number} {number_verb} {object}.",
            "who counts to {one_number} has passed {quality} on the way.",
        ],
    ),
    (
        "seasons",
        &[
            "{one} belongs to {one_season}, {other} to {other_season}, and {remark}.",
            "in {one_season} {tendency}.",
            "what {one_season} leaves behind is {quality}, and {one} has kept some of it.",
            "the other season in this story is {other_season}, when {tendency}.",
            "between {one_season} and {other_season} there is {measure}.",
        ],
    ),
    (
        "letters",
        &[
            "the name of {one} has {one_letters} letters, of which {one_vowels} are vowels, and {remark}.",
            "{other} is written with {other_letters}; the two names share {shared}.",
            "read aloud, {one} sounds of {quality}.",
            "a name of {one_letters} letters {number_verb} {object}.",
            "that they share {shared} is {measure}.",
        ],
    ),
    (
        "distances",
        &[
            "{days} days lie between them, or {years} years and some, which is {measure}.",
            "in numbers the distance is {steps}, and {remark}.",
            "{one} looks across it and sees {quality}.",
            "seen from {other}, the same way is {measure}.",
            "a distance is only {quality} that has not been walked.",
        ],
    ),
    (
        "verdict",
        &[
            "a {one_weekday} and a {other_weekday}, {one_season} and {other_season}, {one_number} and {other_number}: taken together, {remark}.",
            "{days} days did not keep them apart, and {remark}.",
            "they share {shared}, and beyond that {quality}.",
            "{one} brings {quality}, {other} brings {quality}.",
            "where one of them {tendency_verb_one} {object}, the other waits for {object}.",
            "the sum is {measure}.",
        ],
    ),
    (
        "closing",
        &[
            "so {one} may well {advice}.",
            "it would be {measure} to {advice}, and worth it.",
            "{other} knows that {tendency}, and that helps.",
            "nothing here is certain, but {remark}.",
            "if there is one thing to keep, it is {quality}.",
            "the rest is {measure}, and will come by itself.",
        ],
    ),
    ("whoever", &["whoever", "anyone who", "a stranger who"]),
    ("notices", &["sees", "notices", "remembers"]),
    (
        "differently",
        &[
            "differently",
            "with other words",
            "from the end",
            "more slowly",
        ],
    ),
    (
        "quality",
        &[
            "a quiet patience",
            "a stubborn kind of hope",
            "good humour",
            "an eye for detail",
            "a taste for long sentences",
            "courage without noise",
            "a memory for small things",
            "the calm of a well made plan",
        ],
    ),
    (
        "remark",
        &[
            "that explains more than it should",
            "nobody would have guessed the rest",
            "it has stayed that way since",
            "one can still hear it in the voice",
            "the years have only made it clearer",
            "few things are as simple as that",
            "it is a good place to start from",
        ],
    ),
    (
        "where_in_year",
        &[
            "far from the edges of the year",
            "where the year turns",
            "in the long middle of things",
        ],
    ),
    (
        "tendency",
        &[
            "the days teach one to {advice}",
            "people {tendency_verb} {object}",
            "it is easier to {advice}",
            "nothing is hurried",
        ],
    ),
    (
        "tendency_verb",
        &["look for", "collect", "repair", "believe in", "return to"],
    ),
    (
        "tendency_verb_one",
        &[
            "looks for",
            "collects",
            "repairs",
            "believes in",
            "returns to",
        ],
    ),
    (
        "number_verb",
        &["stands for", "asks for", "points to", "is the sign of"],
    ),
    (
        "object",
        &[
            "old maps",
            "open doors",
            "the second attempt",
            "plain answers",
            "unfinished letters",
            "the longer way home",
            "things that last",
        ],
    ),
    ("degree", &["a fair", "a good", "the best", "an unlikely"]),
    (
        "measure",
        &[
            "less than it seems",
            "more than enough",
            "a matter of patience",
            "neither much nor little",
            "about what one would expect",
        ],
    ),
    (
        "advice",
        &[
            "begin with the difficult part",
            "ask twice",
            "leave a door open",
            "write it down",
            "wait for the second thought",
            "trust the slower answer",
            "take the longer way home",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calculation;

    fn document(system: &str, about: &str) -> Document {
        Document {
            system: system.to_owned(),
            about: about.to_owned(),
            title: format!("{system} of {about}"),
        }
    }

    #[test]
    fn no_two_documents_of_a_job_are_alike_and_each_has_its_facts() {
        let facts = calculation::sample();
        let systems = [
            "calendar",
            "numbers",
            "seasons",
            "letters",
            "distances",
            "verdict",
        ];
        let texts: Vec<Vec<Section>> = systems
            .iter()
            .flat_map(|system| ["person1", "person2", "both"].map(|about| document(system, about)))
            .enumerate()
            .map(|(index, document)| write(&document, index, &facts))
            .collect();
        for (at, text) in texts.iter().enumerate() {
            assert!(texts[at + 1..].iter().all(|other| other != text));
            let parts: Vec<_> = text.iter().map(|section| section.text.as_str()).collect();
            let whole = parts.join(" ");
            let words = whole.split_whitespace().count();
            assert!(words > 85, "{words} words");
            assert!(!whole.contains('{') && !whole.contains("  "), "{whole}");
        }
        assert_eq!(texts[0], write(&document("calendar", "person1"), 0, &facts));
    }

    #[test]
    fn every_symbol_is_defined() {
        let grammar = Grammar::new(
            RULES,
            named(&document("calendar", "both"), &calculation::sample()),
        );
        assert_eq!(grammar.undefined(), Vec::<&str>::new());
    }
}
