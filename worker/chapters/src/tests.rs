use std::collections::{BTreeSet, HashSet};

use chrono::{Days, NaiveDate, NaiveTime};
use gristmill_almanac::{Birth, Place, Spot};

use super::*;

/// A caller's plan: five systems for one, for the other and for both, and a verdict.
fn plan() -> Vec<Topic> {
    let of =
        |system| [About::Person1, About::Person2, About::Both].map(|about| Topic { system, about });
    let verdict = Topic {
        system: System::Verdict,
        about: About::Both,
    };
    System::ALL
        .into_iter()
        .flat_map(of)
        .chain([verdict])
        .collect()
}

fn person(name: &str, date: &str, time: Option<&str>) -> Person {
    let birth = Birth {
        date: date.parse().unwrap(),
        time: time.map(|time| NaiveTime::parse_from_str(time, "%H:%M").unwrap()),
        zone: time.map(|_| "Europe/London".to_owned()),
        place: time.map(|_| Place {
            name: Some("London".to_owned()),
            latitude: 51.5,
            longitude: -0.1,
        }),
    };
    Person::calculate(name, birth, &System::ALL.into_iter().collect()).unwrap()
}

/// Births that share nothing but the century; every second one knows its hour.
fn pair(n: u64) -> Facts {
    let names = [
        "Ada", "Charles", "Grace", "Alan", "Mary", "Paul", "Emmy", "Kurt", "Sofia", "Niels",
        "Rosa", "Henri",
    ];
    // Nobody is called as somebody of another pair.
    let ending = ["", "na", "ro", "lis", "mon"][n as usize / 12 % 5];
    let name = |at: usize, side: &str| format!("{}{ending}{side}", names[at % 12]);
    let date = |n: u64| {
        (NaiveDate::from_ymd_opt(1893, 2, 3).unwrap() + Days::new(n * 2_911 % 45_000)).to_string()
    };
    let time = n
        .is_multiple_of(2)
        .then(|| format!("{:02}:{:02}", n * 7 % 24, n * 13 % 60));
    Facts {
        person1: person(&name(n as usize, ""), &date(n), time.as_deref()),
        person2: person(&name(n as usize + 5, "ka"), &date(n + 77), time.as_deref()),
    }
}

fn book(facts: &Facts, seed: &str) -> Vec<Chapter> {
    let plan = plan();
    (0..plan.len())
        .map(|index| write(facts, &plan, index, seed).unwrap())
        .collect()
}

fn paragraphs(chapter: &Chapter) -> impl Iterator<Item = &str> {
    chapter
        .sections
        .iter()
        .flat_map(|section| section.text.split("\n\n"))
}

fn words(chapter: &Chapter) -> usize {
    paragraphs(chapter)
        .map(|paragraph| paragraph.split_whitespace().count())
        .sum()
}

fn sentences(chapter: &Chapter) -> impl Iterator<Item = &str> {
    paragraphs(chapter).flat_map(prose::sentences)
}

#[test]
fn no_sentence_stands_twice_in_a_book() {
    for n in 0..30 {
        let mut seen = HashSet::new();
        for chapter in book(&pair(n), "job") {
            for sentence in sentences(&chapter) {
                assert!(
                    seen.insert(sentence.to_owned()),
                    "pair {n}, {}: {sentence}",
                    chapter.title
                );
            }
        }
    }
}

#[test]
fn a_chapter_has_450_to_1000_words_and_names_whom_it_is_about() {
    for n in 0..60 {
        let facts = pair(n);
        for (chapter, topic) in book(&facts, "job").iter().zip(plan()) {
            let count = words(chapter);
            assert!(
                (450..=1000).contains(&count),
                "pair {n}, {}: {count} words",
                chapter.title
            );
            let text: Vec<&str> = paragraphs(chapter).collect();
            let text = text.join(" ");
            let (one, other) = (&facts.person1.name, &facts.person2.name);
            assert!(
                topic.about == About::Person2 || text.contains(one.as_str()),
                "{one} in {}",
                chapter.title
            );
            assert!(
                topic.about == About::Person1 || text.contains(other.as_str()),
                "{other} in {}",
                chapter.title
            );
        }
    }
}

#[test]
fn every_paragraph_is_whole_sentences_without_a_trace_of_the_machine() {
    for n in 0..30 {
        for chapter in book(&pair(n), "job") {
            assert!(
                !chapter.title.is_empty()
                    && chapter.title.chars().next().is_some_and(char::is_uppercase),
                "{}",
                chapter.title
            );
            for section in &chapter.sections {
                assert!(
                    !section.title.contains('{') && !section.text.is_empty(),
                    "{section:?}"
                );
                for row in section.table.iter().flat_map(|table| &table.rows) {
                    assert_eq!(row.len(), section.table.as_ref().unwrap().head.len());
                }
            }
            for paragraph in paragraphs(&chapter) {
                assert!(paragraph.ends_with(['.', '?', '!']), "{paragraph}");
                assert!(
                    !paragraph.contains(['{', '}'])
                        && !paragraph.contains("  ")
                        && !paragraph.contains(" ,"),
                    "{paragraph}"
                );
                for sentence in prose::sentences(paragraph) {
                    assert!(!sentence.starts_with(char::is_lowercase), "{sentence}");
                }
            }
        }
    }
}

#[test]
fn every_stated_position_gate_and_nakshatra_is_a_calculated_one() {
    for n in 0..30 {
        let facts = pair(n);
        let mut spots = HashSet::new();
        let mut stars = HashSet::new();
        let mut gates = HashSet::new();
        for person in [&facts.person1, &facts.person2] {
            let (western, vedic) = (
                person.western.as_ref().unwrap(),
                person.vedic.as_ref().unwrap(),
            );
            let graph = person.human_design.as_ref().unwrap();
            spots.extend(western.placed.iter().map(|placed| placed.spot.to_string()));
            spots.extend(
                western
                    .angles
                    .iter()
                    .flat_map(|angles| [angles.ascendant, angles.midheaven])
                    .map(|spot| spot.to_string()),
            );
            spots.extend(
                vedic
                    .places
                    .iter()
                    .map(|place| place.spot)
                    .chain(vedic.lagna)
                    .map(|spot: Spot| spot.to_string()),
            );
            stars.extend(vedic.places.iter().map(|place| place.nakshatra_name()));
            gates.extend(graph.gates.iter().copied());
        }
        for chapter in book(&facts, "job") {
            let cells = chapter
                .sections
                .iter()
                .filter_map(|section| section.table.as_ref())
                .flat_map(|table| table.rows.iter().flatten());
            let everything: Vec<&str> = paragraphs(&chapter)
                .chain(cells.map(String::as_str))
                .collect();
            for text in everything {
                for (at, _) in text.match_indices("′ of ") {
                    let begin = text[..at]
                        .rfind(|letter: char| !letter.is_ascii_digit() && letter != '°')
                        .map_or(0, |at| at + 1);
                    let end = at + "′ of ".len();
                    let sign: String = text[end..]
                        .chars()
                        .take_while(|letter| letter.is_alphabetic())
                        .collect();
                    let stated = format!("{}{sign}", &text[begin..end]);
                    assert!(
                        spots.contains(&stated),
                        "pair {n}: {stated} is nowhere calculated"
                    );
                }
                for (at, _) in text.match_indices("gate ") {
                    let number: String = text[at + 5..]
                        .chars()
                        .take_while(char::is_ascii_digit)
                        .collect();
                    assert!(
                        number.is_empty() || gates.contains(&number.parse().unwrap()),
                        "gate {number} in {text}"
                    );
                }
            }
            for star in [
                "Ashwini",
                "Bharani",
                "Krittika",
                "Rohini",
                "Mrigashira",
                "Ardra",
                "Punarvasu",
                "Pushya",
                "Ashlesha",
                "Magha",
                "Hasta",
                "Chitra",
                "Swati",
                "Vishakha",
                "Anuradha",
                "Jyeshtha",
                "Mula",
                "Shravana",
                "Dhanishta",
                "Shatabhisha",
                "Revati",
            ] {
                let is_named = paragraphs(&chapter).any(|paragraph| paragraph.contains(star));
                assert!(
                    !is_named || stars.contains(star),
                    "{star} in {}",
                    chapter.title
                );
            }
        }
    }
}

#[test]
fn books_of_different_people_share_no_paragraph() {
    let mut seen = HashSet::new();
    let mut shared = Vec::new();
    for n in 0..30 {
        for chapter in book(&pair(n), "job") {
            let again =
                paragraphs(&chapter).filter(|paragraph| !seen.insert((*paragraph).to_owned()));
            shared.extend(again.map(str::to_owned));
        }
    }
    assert!(shared.is_empty(), "{}", shared.join("\n"));
}

#[test]
fn the_same_job_writes_the_same_chapter_again_and_another_job_another() {
    let facts = pair(3);
    let plan = plan();
    assert_eq!(
        write(&facts, &plan, 7, "job"),
        write(&facts, &plan, 7, "job")
    );
    assert_ne!(
        write(&facts, &plan, 7, "job"),
        write(&facts, &plan, 7, "another")
    );
    assert_eq!(write(&facts, &plan, 16, "job"), None);
}

#[test]
fn people_born_at_one_hour_get_chapters_that_refer_to_each_other() {
    let facts = Facts {
        person1: person("Ada", "1990-05-05", Some("08:30")),
        person2: person("Ben", "1990-05-05", Some("08:30")),
    };
    let mut seen = HashSet::new();
    for chapter in book(&facts, "twins") {
        assert!(
            words(&chapter) >= 300,
            "{}: {} words",
            chapter.title,
            words(&chapter)
        );
        for sentence in sentences(&chapter) {
            assert!(seen.insert(sentence.to_owned()), "{sentence}");
        }
    }
}

#[test]
fn a_chapter_of_a_system_that_was_not_calculated_is_none() {
    let birth = Birth {
        date: "1990-05-05".parse().unwrap(),
        time: None,
        zone: None,
        place: None,
    };
    let only: BTreeSet<System> = [System::Western].into();
    let person = |name| Person::calculate(name, birth.clone(), &only).unwrap();
    let facts = Facts {
        person1: person("Ada"),
        person2: person("Ben"),
    };
    let topic = |system| {
        [Topic {
            system,
            about: About::Both,
        }]
    };
    assert_eq!(write(&facts, &topic(System::Vedic), 0, "job"), None);
    assert!(write(&facts, &topic(System::Verdict), 0, "job").is_some());
}

#[test]
fn names_that_begin_alike_are_told_apart() {
    let facts = |one, other| Facts {
        person1: person(one, "1990-05-05", None),
        person2: person(other, "1970-05-05", None),
    };
    assert_eq!(
        facts("Ada King", "Charles Babbage").called(),
        ("Ada".to_owned(), "Charles".to_owned())
    );
    assert_eq!(
        facts("Ada King", "Ada Byron").called(),
        ("Ada King".to_owned(), "Ada Byron".to_owned())
    );
    assert_eq!(
        facts("J. Bach", "Anna Bach").called(),
        ("J. Bach".to_owned(), "Anna Bach".to_owned())
    );
    assert_eq!(
        facts("Ada", "Ada").called(),
        ("the first Ada".to_owned(), "the second Ada".to_owned())
    );
}
