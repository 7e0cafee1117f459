use std::collections::HashSet;

use chrono::NaiveDate;

use super::*;

const SYSTEMS: [&str; 5] = ["western", "vedic", "human_design", "numbers", "calendar"];

fn somebody(name: &str, born: &str) -> Subject {
    Subject::new(name.to_owned(), born.parse().unwrap(), None)
}

fn documents() -> Vec<Document> {
    let mut all: Vec<_> = SYSTEMS
        .into_iter()
        .flat_map(|system| ["person1", "person2", "both"].map(|about| (system, about)))
        .collect();
    all.push(("verdict", "both"));
    let document = |(system, about): (&str, &str)| Document {
        system: system.to_owned(),
        about: about.to_owned(),
        title: String::new(),
    };
    all.into_iter().map(document).collect()
}

fn sentences(section: &Section) -> Vec<String> {
    let ends = section.text.replace("\n\n", " ");
    ends.split(". ")
        .map(|sentence| sentence.trim_end_matches('.').to_owned())
        .collect()
}

/// Pairs of people far apart in time and alike in some things.
fn pairs() -> Vec<(Subject, Subject)> {
    let names = [
        "Ada",
        "Charles",
        "Grace",
        "Alan",
        "Mary Ann",
        "José",
        "Øyvind",
        "李明",
        "Bo",
        "Konstantina",
    ];
    (0..40)
        .map(|at: usize| {
            let day = |seed: usize| {
                NaiveDate::from_ymd_opt(1900, 1, 1).unwrap()
                    + chrono::Days::new((seed * 7919 % 40_000) as u64)
            };
            let name = |seed: usize| names[seed % names.len()].to_owned();
            (
                Subject::new(name(at), day(at), None),
                Subject::new(name(at + 3), day(at * 3 + 1), None),
            )
        })
        .collect()
}

#[test]
fn a_chapter_has_one_to_two_pages_and_a_title_that_names_who_it_is_about() {
    for (one, other) in pairs() {
        for document in documents() {
            let sections = write(&document, &one, &other);
            let words: usize = sections
                .iter()
                .map(|section| section.text.split_whitespace().count())
                .sum();
            // A page of the template takes some 450 words.
            assert!(
                (330..=1000).contains(&words),
                "{} about {}: {words} words",
                document.system,
                document.about
            );
            let title = title(&document, &one, &other);
            let about = if document.about == "person2" {
                &other.name
            } else {
                &one.name
            };
            assert!(title.contains(about.as_str()), "{title}");
        }
    }
}

#[test]
fn no_sentence_occurs_twice_in_all_documents_of_a_job() {
    for (one, other) in pairs() {
        let mut seen = HashSet::new();
        for document in documents() {
            for section in write(&document, &one, &other) {
                for sentence in sentences(&section) {
                    assert!(
                        seen.insert(sentence.clone()),
                        "twice in {} about {}: {sentence}",
                        document.system,
                        document.about
                    );
                }
            }
        }
    }
}

#[test]
fn runs_for_other_people_share_no_paragraph() {
    let all = |one: &Subject, other: &Subject| -> HashSet<String> {
        let sections = documents()
            .into_iter()
            .flat_map(|document| write(&document, one, other));
        sections
            .flat_map(|section| {
                section
                    .text
                    .split("\n\n")
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let first = all(
        &somebody("Ada", "1815-12-10"),
        &somebody("Charles", "1791-12-26"),
    );
    // The same days, other people; and other days.
    for (one, other) in [
        (
            somebody("Eve", "1815-12-10"),
            somebody("Carl", "1791-12-26"),
        ),
        (
            somebody("Grace", "1906-12-09"),
            somebody("Alan", "1912-06-23"),
        ),
    ] {
        let shared: Vec<_> = all(&one, &other).intersection(&first).cloned().collect();
        assert_eq!(shared, Vec::<String>::new());
    }
}

#[test]
fn the_same_people_get_the_same_words_again() {
    let (one, other) = (
        somebody("Ada", "1815-12-10"),
        somebody("Charles", "1791-12-26"),
    );
    for document in documents() {
        assert_eq!(
            write(&document, &one, &other),
            write(&document, &one, &other)
        );
    }
}

#[test]
fn no_text_has_a_gap() {
    for (one, other) in pairs().into_iter().take(10) {
        for section in documents()
            .iter()
            .flat_map(|document| write(document, &one, &other))
        {
            assert!(!section.title.is_empty() && !section.text.is_empty());
            assert!(
                !section.text.contains("  ")
                    && !section.text.contains('{')
                    && !section.text.contains(" ,"),
                "{}",
                section.text
            );
        }
    }
}

#[test]
fn documents_of_definitions_of_the_first_release_are_written_as_well() {
    let (one, other) = (
        somebody("Ada", "1815-12-10"),
        somebody("Charles", "1791-12-26"),
    );
    for system in [
        "calendar",
        "numbers",
        "seasons",
        "letters",
        "distances",
        "verdict",
        "anything",
    ] {
        let document = Document {
            system: system.to_owned(),
            about: "both".to_owned(),
            title: "A title".to_owned(),
        };
        assert!(!write(&document, &one, &other).is_empty());
    }
}
