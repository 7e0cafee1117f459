//! The files of `data/` keep their promises: they are sorted, well formed, and no name stands in two places.
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use gristmill_dictionary::fold;

/// A file, how many columns its lines have at most, and the columns with folded phrases.
const TABLES: &[(&str, usize, &[usize])] = &[
    ("allergens.tsv", 2, &[1]),
    ("analytes.tsv", 4, &[3]),
    ("conditions.tsv", 4, &[3]),
    ("drugs.tsv", 5, &[3, 4]),
    ("everyday.txt", 1, &[0]),
    ("forms.tsv", 2, &[1]),
    ("frequencies.tsv", 2, &[]),
    ("procedures.tsv", 2, &[1]),
    ("qualifiers.tsv", 1, &[0]),
    ("reactions.tsv", 2, &[1]),
    ("routes.tsv", 2, &[1]),
    ("salts.tsv", 1, &[]),
    ("sections.tsv", 2, &[1]),
    ("triggers.tsv", 3, &[]),
    ("units.tsv", 2, &[]),
    ("vaccines.tsv", 2, &[1]),
];

#[allow(clippy::unwrap_used)] // This is a helper of tests.
fn read(name: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("data")
            .join(name),
    )
    .unwrap()
}

#[test]
fn every_file_is_known_to_these_tests() {
    let mut files: Vec<String> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("data"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".md"))
        .collect();
    files.sort();
    let known: Vec<&str> = TABLES.iter().map(|table| table.0).collect();
    assert_eq!(files, known);
}

#[test]
fn lines_are_sorted_and_have_the_columns_of_their_table() {
    for (name, columns, _) in TABLES {
        let text = read(name);
        let lines: Vec<&str> = text.lines().collect();
        assert!(text.ends_with('\n') && !lines.is_empty(), "{name}");
        for pair in lines.windows(2) {
            assert!(pair[0] < pair[1], "{name}: {} before {}", pair[0], pair[1]);
        }
        for line in lines {
            assert!(line.split('\t').count() <= *columns, "{name}: {line}");
            assert!(
                !line.split('\t').next().unwrap().is_empty(),
                "{name}: {line}"
            );
            for column in line.split('\t') {
                assert_eq!(column, column.trim(), "{name}: {line}");
                assert!(
                    column.is_empty() || column.split(';').all(|part| !part.is_empty()),
                    "{name}: {line}"
                );
            }
        }
    }
}

#[test]
fn phrases_are_folded_and_name_one_record() {
    for (name, _, phrases) in TABLES {
        let text = read(name);
        let mut owners: HashMap<String, &str> = HashMap::new();
        for line in text.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let mut own: Vec<&str> = phrases
                .iter()
                .filter_map(|at| columns.get(*at))
                .flat_map(|column| column.split(';'))
                .filter(|phrase| !phrase.is_empty())
                .collect();
            if *name == "conditions.tsv" && own.is_empty() {
                own.push(columns[0]);
            }
            for phrase in own {
                assert_eq!(phrase, fold(phrase), "{name}: {line}");
                if let Some(other) = owners.insert(phrase.to_owned(), columns[0]) {
                    panic!("{name}: {phrase} names {other} and {}", columns[0]);
                }
            }
        }
    }
}

#[test]
fn spellings_of_a_unit_or_a_frequency_stand_once() {
    for name in ["units.tsv", "frequencies.tsv"] {
        let text = read(name);
        let mut owners: HashMap<&str, &str> = HashMap::new();
        for line in text.lines() {
            let (title, spellings) = line.split_once('\t').unwrap_or((line, ""));
            for spelling in spellings.split(';').filter(|spelling| !spelling.is_empty()) {
                assert_eq!(owners.insert(spelling, title), None, "{name}: {spelling}");
            }
        }
    }
}

#[test]
fn the_dictionary_has_thousands_of_entries() {
    let count = |name: &str| read(name).lines().count();
    assert!(count("drugs.tsv") > 3_500);
    assert!(count("conditions.tsv") > 15_000);
    assert!(count("analytes.tsv") > 300);
    assert!(count("triggers.tsv") > 500);
}

#[test]
fn codes_of_conditions_and_analytes_are_well_formed() {
    for line in read("conditions.tsv").lines() {
        let code = line.split('\t').nth(1).unwrap();
        let (head, rest) = code.split_at(3);
        assert!(
            head.starts_with(|letter: char| letter.is_ascii_uppercase()),
            "{line}"
        );
        assert!(
            rest.is_empty() || rest.starts_with('.') && rest.len() <= 5,
            "{line}"
        );
    }
    for line in read("analytes.tsv").lines() {
        let Some(code) = line.split('\t').nth(1).filter(|code| !code.is_empty()) else {
            continue;
        };
        let digits: Vec<u32> = code
            .chars()
            .filter_map(|letter| letter.to_digit(10))
            .collect();
        let (check, digits) = digits.split_last().unwrap();
        // LOINC's check digit is that of Luhn.
        let sum: u32 = digits
            .iter()
            .rev()
            .enumerate()
            .map(|(at, digit)| {
                if at % 2 == 0 {
                    digit * 2 / 10 + digit * 2 % 10
                } else {
                    *digit
                }
            })
            .sum();
        assert_eq!((10 - sum % 10) % 10, *check, "{line}");
    }
}
