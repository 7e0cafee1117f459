//! The provider that needs no key and no network: rules and dictionaries.
//!
//! It reads only what the stages before it found, so what it finds can always be shown on the page.

mod conditions;
mod dictionary;
mod entities;
mod facts;
mod flow;
mod labs;
mod medications;
mod narrate;
mod people;

use serde_json::{Map, Value};

pub(super) use entities::entities;
pub(super) use facts::facts;
pub(super) use narrate::narrate;

/// One letter misread, missing or doubled ("rn" for "m" counts as one too), in a word that is long enough to tell.
fn near(known: &str, read: &str) -> bool {
    let (known, read) = (known.to_lowercase(), read.to_lowercase());
    known.len() >= 6
        && (strsim::levenshtein(&known, &read) <= 1
            || known == read.replace("rn", "m")
            || known.replace("rn", "m") == read.replace("rn", "m"))
}

fn with(name: &str, value: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value.into())])
}

#[cfg(test)]
mod tests {
    use super::super::model::{Block, FactKind};
    use super::*;

    fn line(text: &str, at: usize) -> Block {
        let top = at as f32 * 0.05;
        Block {
            kind: "line".into(),
            page: 1,
            text: text.into(),
            content: Value::Null,
            place: [0.1, top, 0.9, top + 0.02],
        }
    }

    fn conditions_of(lines: &[&str]) -> Vec<String> {
        let blocks: Vec<Block> = lines
            .iter()
            .enumerate()
            .map(|(at, text)| line(text, at))
            .collect();
        let found = facts(&entities(&blocks));
        found
            .into_iter()
            .filter(|fact| fact.kind == FactKind::Condition)
            .map(|fact| fact.name)
            .collect()
    }

    #[test]
    fn what_is_denied_or_another_s_is_no_fact() {
        assert_eq!(
            conditions_of(&["There was no", "evidence of heart failure. She has asthma."]),
            ["asthma"]
        );
        assert_eq!(
            conditions_of(&["Family history of stroke.", "Denies migraine."]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_longer_name_wins_and_a_part_of_a_word_is_none() {
        assert_eq!(
            conditions_of(&["Iron deficiency anemia"]),
            ["iron deficiency anemia"]
        );
        assert_eq!(conditions_of(&["Strokes of genius"]), Vec::<String>::new());
    }

    #[test]
    fn a_fact_keeps_the_box_of_its_line() {
        let blocks = [line("nothing", 0), line("Atrial fibrillation", 1)];
        let found = facts(&entities(&blocks));
        assert_eq!(found[0].place, Some([0.1, 0.05, 0.9, 0.07]));
        assert_eq!(found[0].code.as_deref(), Some("I48.91"));
    }
}
