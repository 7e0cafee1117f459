//! Conditions by their names and what people call them, with codes of ICD-10-CM.

use std::sync::LazyLock;

use crate::fold::fold;
use crate::phrases::Phrases;
use crate::table::rows;

/// A condition that the dictionary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// The usual name in lower case.
    pub name: &'static str,
    /// The code of ICD-10-CM that the words fit. Symptoms and signs have codes that begin with R.
    pub code: &'static str,
    /// Whether the code is of a chronic condition; None where that cannot be said of it.
    pub chronic: Option<bool>,
    /// The words stand in the dictionary as they are written. Otherwise one letter was misread.
    pub is_exact: bool,
}

struct Record {
    code: &'static str,
    chronic: Option<bool>,
    name: &'static str,
    phrases: &'static str,
}

struct Conditions {
    records: Vec<Record>,
    phrases: Phrases,
}

static CONDITIONS: LazyLock<Conditions> = LazyLock::new(|| {
    let mut records: Vec<Record> = Vec::new();
    let mut phrases = Phrases::default();
    for row in rows(include_str!("../data/conditions.tsv")) {
        let record = records.len() as u32;
        records.push(Record {
            name: row.column(0),
            code: row.column(1),
            chronic: match row.column(2) {
                "chronic" => Some(true),
                "not chronic" => Some(false),
                _ => None,
            },
            phrases: row.some(3).unwrap_or(row.column(0)),
        });
        for phrase in records[records.len() - 1].phrases.split(';') {
            phrases.add(phrase, record);
        }
    }
    Conditions {
        records,
        phrases: phrases.with_misread_words(include_str!("../data/everyday.txt")),
    }
});

/// The longest condition that begins at the first word, and the number of words that it takes.
pub fn condition(words: &[&str]) -> Option<(usize, Condition)> {
    let found = CONDITIONS.phrases.find(words)?;
    let record = CONDITIONS.records.get(found.record as usize)?;
    let condition = Condition {
        name: record.name,
        code: record.code,
        chronic: record.chronic,
        is_exact: found.is_exact,
    };
    Some((found.words, condition))
}

/// All names, folded, of the condition that goes by this name; empty where the dictionary does not know it.
pub fn condition_names(name: &str) -> impl Iterator<Item = &'static str> {
    CONDITIONS
        .phrases
        .get(&fold(name))
        .and_then(|record| CONDITIONS.records.get(record as usize))
        .into_iter()
        .flat_map(|record| record.phrases.split(';'))
}
