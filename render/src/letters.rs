//! Letters that no font has. They would be black bars or nothing on paper, and PDF/A refuses them: they are replaced, and whoever asked is told.

use serde_json::Value;
use std::collections::BTreeSet;
use typst::text::FontBook;

use crate::clean::takes_no_room;

/// Stands for a letter that cannot be shown; a question mark where no font has it either.
const STAND_INS: [char; 2] = ['\u{25a1}', '?'];

/// Replaces such letters in every text, and answers which they were.
pub(crate) fn replace_unknown(content: &mut Value, book: &FontBook) -> BTreeSet<char> {
    let mut letters = BTreeSet::new();
    collect(content, &mut letters);
    letters.retain(|letter| !is_known(*letter, book));
    if !letters.is_empty() {
        let stand_in = STAND_INS.into_iter().find(|letter| is_known(*letter, book));
        replace(content, &letters, stand_in.unwrap_or('?'));
    }
    letters
}

fn collect(value: &Value, into: &mut BTreeSet<char>) {
    match value {
        Value::String(text) => into.extend(text.chars().filter(|letter| !letter.is_ascii())),
        Value::Array(list) => list.iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, into)),
        _ => {}
    }
}

// What takes no room needs no picture of its own: joiners, selectors. Marks that no font has are replaced as letters are.
fn is_known(letter: char, book: &FontBook) -> bool {
    let needs_none = letter.is_whitespace()
        || letter.is_control()
        || (takes_no_room(letter) && !unicode_normalization::char::is_combining_mark(letter));
    let mut fonts = (0..).map_while(|index| book.info(index));
    needs_none || fonts.any(|font| font.coverage.contains(u32::from(letter)))
}

fn replace(value: &mut Value, unknown: &BTreeSet<char>, stand_in: char) {
    match value {
        Value::String(text) if text.chars().any(|letter| unknown.contains(&letter)) => {
            let letters = text.chars().map(|letter| {
                if unknown.contains(&letter) {
                    stand_in
                } else {
                    letter
                }
            });
            *text = letters.collect();
        }
        Value::Array(list) => list
            .iter_mut()
            .for_each(|item| replace(item, unknown, stand_in)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| replace(field, unknown, stand_in)),
        _ => {}
    }
}
