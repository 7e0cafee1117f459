//! Results within lines and sentences.

use gristmill_dictionary::{self as dictionary, Section};

use super::pieces::{Piece, Shape};
use super::row::{self, Parsed, Said, Value};
use super::{clean_pieces, push};
use crate::context;
use crate::passage::Passage;
use crate::reader::Reader;

/// Words that may stand between a name and its value in a sentence.
const LINKS: &str = "was|is|of|at|were|are|level|levels|came|back|measured|remains|remained|result|results|value|today|returned|to|a|the|\
    now|only|still|elevated|low|high|serum|plasma|fasting|random|initial|peak|repeat|rose|fell|improved|count|found|be|\
    stable|count:";

/// Results within lines and sentences: each name, and what stands behind it up to the next name.
pub(super) fn mentions(reader: &mut Reader, at: usize) {
    let item = &reader.items[at];
    let passage = item.passage.clone();
    let in_labs = item.section() == Section::Labs;
    if crate::sections::is_medication(item.section())
        || matches!(
            item.section(),
            Section::Vitals | Section::Allergies | Section::Immunisations
        )
    {
        return;
    }
    let mut names: Vec<(usize, usize, dictionary::Analyte)> = Vec::new();
    let mut token = passage.token_from(item.body);
    while token < passage.tokens.len() {
        let start = passage.tokens[token].0;
        let sentence = context::sentence(&passage, start).end;
        let limit = passage.tokens[(token + 7).min(sentence.saturating_sub(1)).max(token)].1;
        let tail = bracket_end(&passage.text, limit);
        let found = row::name(&passage, start, tail).filter(|(end, analyte)| {
            (analyte.is_exact || in_labs) && is_written_as_one(&passage, token, *end)
        });
        match found {
            Some((end, analyte)) => {
                names.push((start, end, analyte));
                token = passage.token_from(end).max(token + 1);
            }
            None => token += 1,
        }
    }
    for index in 0..names.len() {
        let (start, end, analyte) = &names[index];
        let next = names
            .get(index + 1)
            .map_or(passage.text.len(), |next| next.0);
        let sentence = context::sentence(&passage, *start);
        let stop = passage
            .tokens
            .get(sentence.end.saturating_sub(1))
            .map_or(passage.text.len(), |token| token.1);
        let limit = next.min(bracket_end(&passage.text, stop)).max(*end);
        if reader.is_taken(at, *start, *end) {
            continue;
        }
        if let Some(parsed) = beside(reader, &passage, (*start, *end), limit, analyte, in_labs) {
            push(reader, at, parsed, (*start, *end));
        }
    }
}

/// "K" and "Mg" are names, "mg" behind a number is a unit.
fn is_written_as_one(passage: &Passage, token: usize, end: usize) -> bool {
    let (from, _) = passage.tokens[token];
    let text = &passage.text[from..end];
    let follows_number = token > 0
        && passage
            .token(token - 1)
            .ends_with(|c: char| c.is_ascii_digit());
    text.len() > 2 || text.starts_with(char::is_uppercase) && !follows_number
}

fn bracket_end(text: &str, at: usize) -> usize {
    let open = text[..at].rfind(['(', '[']);
    let closed = text[..at].rfind([')', ']']);
    if open > closed
        && let Some(close) = text[at..].find([')', ']'])
    {
        return at + close + 1;
    }
    at
}

fn beside(
    reader: &Reader,
    passage: &Passage,
    (start, end): (usize, usize),
    limit: usize,
    analyte: &dictionary::Analyte,
    in_labs: bool,
) -> Option<Parsed> {
    let pieces = clean_pieces(reader, passage, end, limit);
    let first = pieces.iter().position(|piece| {
        matches!(
            piece.shape,
            Shape::Number(_) | Shape::Bound(..) | Shape::Quality
        )
    })?;
    let links = &pieces[..first];
    let is_link = |piece: &Piece| match piece.shape {
        Shape::Words => {
            crate::among(
                LINKS,
                passage.text[piece.from..piece.to].to_lowercase().as_str(),
            ) || passage.text[piece.from..piece.to]
                .chars()
                .all(|c| !c.is_alphanumeric())
        }
        Shape::Flag(_) => true,
        Shape::Range(..) => true,
        Shape::Unit(_) => links.len() <= 3,
        _ => false,
    };
    if links.len() > 7 || !links.iter().all(is_link) {
        return None;
    }
    // What stands behind a full clause is another thing: "was 5.2 mmol/L, below the normal range of 3 to 5" is not.
    let Said {
        value,
        unit,
        low,
        high,
        flag,
    } = row::parsed(passage, &pieces, None)?;
    let is_words = matches!(value, Value::Words(_));
    let has_range = low.is_some() || high.is_some();
    let has_unit = unit.is_some_and(|unit| !is_dose(passage, &pieces, unit));
    let unitless = analyte.units.is_empty() || analyte.units.iter().all(|unit| unit.is_empty());
    let near = links.len() <= 2;
    let fits = if is_words {
        in_labs && near
    } else {
        has_unit || has_range || near && (in_labs || unitless)
    };
    if !fits || unit.is_some() && !has_unit && !has_range {
        return None;
    }
    let to = pieces
        .iter()
        .filter(|piece| !matches!(piece.shape, Shape::Words))
        .map(|piece| piece.to)
        .max()
        .unwrap_or(end);
    Some(Parsed {
        name: analyte.name.to_owned(),
        code: analyte.code.filter(|_| analyte.is_exact),
        is_known: true,
        from: start,
        to,
        value,
        unit,
        low,
        high,
        flag,
    })
}

// "Potassium 20 mEq daily" and "iron 325 mg" are medicines.
fn is_dose(passage: &Passage, pieces: &[Piece], unit: &str) -> bool {
    let is_mass = matches!(
        unit,
        "mg" | "mcg" | "g" | "mEq" | "units" | "mL" | "U" | "IU" | "kg"
    );
    let end = pieces.last().map_or(0, |piece| piece.to);
    is_mass
        || pieces.iter().any(|piece| {
            dictionary::frequency(&passage.ahead(passage.token_from(piece.from), end)).is_some()
        })
}
