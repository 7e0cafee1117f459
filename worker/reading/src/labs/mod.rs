//! Results of laboratories: in tables of any column order, in lists, and within sentences.

mod pieces;
mod row;
mod sentence;
mod table;

use gristmill_dictionary::{self as dictionary, Section};
use serde_json::{Value as Json, json};

use pieces::{Flag, Piece, Shape};
pub(crate) use pieces::{parse, unit_at};
use row::{Parsed, Said, Value};
use table::{Column, Role};

use crate::dates;
use crate::model::{Fact, FactKind};
use crate::passage::Passage;
use crate::reader::{Reader, fact, number};

pub(crate) fn find(reader: &mut Reader) {
    let mut columns: Option<Vec<Column>> = None;
    let mut stretch = (0, 0);
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        if let Some(head) = table::columns(item) {
            (columns, stretch) = (Some(head), item.stretch);
            continue;
        }
        let ends = item.is_heading && !matches!(item.section(), Section::Labs | Section::Other)
            || item.stretch.0 == stretch.0 && item.stretch.1 != stretch.1
            || item.cells.len() <= 1 && item.passage.tokens.len() > 14;
        if ends {
            columns = None;
        }
        if item.is_heading {
            continue;
        }
        let is_row = item.cells.len() >= 2;
        let heads = columns.as_deref().filter(|_| is_row);
        if is_row && table_row(reader, at, heads) {
            continue;
        }
        let had = reader.facts.len();
        sentence::mentions(reader, at);
        if reader.facts.len() == had {
            not_understood(reader, at, heads);
        }
    }
}

/// The pieces of a text without what is a date or a time.
fn clean_pieces(reader: &Reader, passage: &Passage, from: usize, to: usize) -> Vec<Piece> {
    let dates = dates::dates(&passage.text, reader.order);
    let is_date = |piece: &Piece| {
        dates
            .iter()
            .any(|dated| piece.from < dated.to && piece.to > dated.from)
    };
    pieces::pieces(&passage.text, from, to)
        .into_iter()
        .filter(|piece| !is_date(piece))
        .collect()
}

fn table_row(reader: &mut Reader, at: usize, columns: Option<&[Column]>) -> bool {
    let item = &reader.items[at];
    let passage = &item.passage;
    let in_labs = columns.is_some() || item.section() == Section::Labs;
    let named = name_cell(reader, at, columns);
    let Some((from, to, analyte)) = named else {
        return false;
    };
    // "Total cholesterol 212 mg/dL": name and value may share a cell.
    let (end, analyte, is_known) = match analyte {
        Some(analyte) => (to, Some(analyte), true),
        // "Hemoglobin Aic" is not hemoglobin: a name of ours with more letters behind it is another name.
        None => match row::name(passage, from, to).filter(|(end, _)| !goes_on(passage, *end, to)) {
            Some((end, analyte)) => (end, Some(analyte), true),
            None => (written_end(passage, from, to), None, false),
        },
    };
    let mut pieces = clean_pieces(reader, passage, 0, from);
    pieces.extend(clean_pieces(reader, passage, end, passage.text.len()));
    let Some(Said {
        value,
        unit,
        low,
        high,
        flag,
    }) = row::parsed(passage, &pieces, columns)
    else {
        return false;
    };
    // "Chloride (mmol/L)": the unit may stand with the name.
    let beside_name = || {
        pieces::pieces(&passage.text, from, end.max(to.min(passage.text.len())))
            .into_iter()
            .find_map(|piece| match piece.shape {
                Shape::Unit(unit) if piece.in_brackets => Some(unit),
                _ => None,
            })
    };
    let unit = unit.or_else(beside_name);
    let has_range = low.is_some() || high.is_some();
    if has_lost_its_point(passage, &value, high) {
        let doubt = reader.doubt(at, 0, passage.text.len(), "row_not_understood");
        reader.doubts.push(doubt);
        reader.take(at, 0, reader.items[at].text().len());
        return true;
    }
    let has_unit = unit.is_some();
    let is_result = match (is_known, in_labs) {
        (true, true) => true,
        (true, false) => has_unit || has_range,
        (false, true) => has_unit || has_range || matches!(value, Value::Words(_)),
        (false, false) => has_unit && has_range,
    };
    let written = passage.text[from..end]
        .trim()
        .trim_end_matches([':', '.', '-', ' '])
        .to_owned();
    if !is_result
        || written.chars().filter(|c| c.is_alphabetic()).count() < 2
        || has_medicine(reader, at)
        || reader.is_taken(at, from, end)
    {
        return false;
    }
    let parsed = Parsed {
        name: analyte
            .as_ref()
            .map_or(written, |analyte| analyte.name.to_owned()),
        code: analyte
            .as_ref()
            .and_then(|analyte| analyte.code.filter(|_| analyte.is_exact)),
        is_known,
        from: 0,
        to: passage.text.len(),
        value,
        unit,
        low,
        high,
        flag,
    };
    push(reader, at, parsed, (from, end));
    true
}

fn goes_on(passage: &Passage, end: usize, to: usize) -> bool {
    let rest = pieces::pieces(&passage.text, end.min(to), to);
    rest.first().is_some_and(|piece| {
        let letters = passage.text[piece.from..piece.to]
            .chars()
            .filter(|c| c.is_alphabetic())
            .count();
        matches!(piece.shape, Shape::Words) && !piece.in_brackets && letters >= 2
    })
}

/// A scan drops decimal points: a whole number of ten times the range, on a page that was read with doubt, is no result to be shown.
fn has_lost_its_point(passage: &Passage, value: &Value, high: Option<f64>) -> bool {
    let (Value::Number(None, value), Some(high)) = (value, high) else {
        return false;
    };
    let is_scan = passage.is_read();
    is_scan && value.fract() == 0.0 && *value >= high * 10.0 && high < 20.0
}

/// The cell that has the name: under its head, or the first that is an analyte, or the first of words.
fn name_cell(
    reader: &Reader,
    at: usize,
    columns: Option<&[Column]>,
) -> Option<(usize, usize, Option<dictionary::Analyte>)> {
    let item = &reader.items[at];
    let passage = &item.passage;
    let cells = &item.cells;
    let letters = |cell: &(usize, usize)| {
        passage.text[cell.0..cell.1]
            .chars()
            .filter(|c| c.is_alphabetic())
            .count()
    };
    let trimmed = |cell: (usize, usize)| {
        let text = &passage.text[cell.0..cell.1];
        let lead = text.len() - text.trim_start_matches(['-', '\u{2022}', '*', ' ']).len();
        (cell.0 + lead, cell.1)
    };
    if let Some(columns) = columns {
        let named = cells.iter().find(|cell| {
            table::under(columns, passage.place(cell.0, cell.1)) == Some(Role::Name)
                && letters(cell) >= 1
        });
        if let Some(cell) = named {
            let cell = trimmed(*cell);
            return Some((
                cell.0,
                cell.1,
                dictionary::analyte(&passage.text[cell.0..cell.1]),
            ));
        }
    }
    let known = cells.iter().find_map(|cell| {
        let cell = trimmed(*cell);
        dictionary::analyte(&passage.text[cell.0..cell.1])
            .map(|analyte| (cell.0, cell.1, Some(analyte)))
    });
    known.or_else(|| {
        let first = cells
            .iter()
            .find(|cell| letters(cell) >= 3 && unit_at(&passage.text[cell.0..cell.1]).is_none());
        first
            .map(|cell| trimmed(*cell))
            .map(|cell| (cell.0, cell.1, None))
    })
}

/// Where an unknown name ends within its cell: before the first number.
fn written_end(passage: &Passage, from: usize, to: usize) -> usize {
    let pieces = pieces::pieces(&passage.text, from, to);
    let first = pieces.iter().skip(1).find(|piece| {
        matches!(
            piece.shape,
            Shape::Number(_) | Shape::Range(..) | Shape::Bound(..)
        ) && !piece.in_brackets
    });
    first.map_or(to, |piece| piece.from)
}

fn has_medicine(reader: &Reader, at: usize) -> bool {
    let passage = &reader.items[at].passage;
    let often = (0..passage.tokens.len())
        .any(|token| dictionary::frequency(&passage.ahead(token, passage.text.len())).is_some());
    often || crate::sections::is_medication(reader.items[at].section())
}

fn push(reader: &mut Reader, at: usize, parsed: Parsed, name: (usize, usize)) {
    let passage = &reader.items[at].passage;
    let sure = if parsed.is_known { 0.95 } else { 0.85 };
    let mut own: Fact = fact(
        FactKind::Lab,
        passage,
        parsed.from,
        parsed.to,
        parsed.name.clone(),
        sure,
    );
    let abnormal = row::abnormal(&parsed.value, parsed.low, parsed.high);
    let flag = parsed.flag.and_then(|flag| match flag {
        Flag::High => Some("high"),
        Flag::Low => Some("low"),
        Flag::Abnormal => Some("abnormal"),
        Flag::Normal => None,
    });
    let (value, comparator) = match &parsed.value {
        Value::Number(side, value) => (number(*value), side.map(|side| side.mark())),
        Value::Words(words) => (json!(words), None),
    };
    let bound = |bound: Option<f64>| bound.map_or(Json::Null, number);
    for (key, value) in [
        ("value", value),
        ("comparator", json!(comparator)),
        ("unit", json!(parsed.unit)),
        ("low", bound(parsed.low)),
        ("high", bound(parsed.high)),
        ("flag", json!(flag)),
        ("abnormal", json!(abnormal)),
    ] {
        own.value.insert(key.into(), value);
    }
    if let Some(code) = parsed.code {
        own.code_system = Some("LOINC".into());
        own.code = Some(code.to_owned());
    }
    let disagree = match (parsed.flag, abnormal) {
        (Some(Flag::High), Some(abnormal)) => abnormal != "high",
        (Some(Flag::Low), Some(abnormal)) => abnormal != "low",
        (Some(Flag::Abnormal), Some(abnormal)) => abnormal == "normal",
        (Some(Flag::Normal), Some(abnormal)) => abnormal != "normal",
        _ => false,
    };
    if disagree {
        own.doubts
            .push(reader.doubt(at, parsed.from, parsed.to, "flag_and_range_disagree"));
    }
    reader.take(at, name.0.min(parsed.from), parsed.to);
    reader.facts.push(own);
}

/// A row that has what a result has, and gave none, is never dropped.
fn not_understood(reader: &mut Reader, at: usize, columns: Option<&[Column]>) {
    let item = &reader.items[at];
    let passage = &item.passage;
    if item.passage.tokens.len() > 22 || has_medicine(reader, at) {
        return;
    }
    let pieces = clean_pieces(reader, passage, item.body, passage.text.len());
    let has = |test: fn(&Shape) -> bool| pieces.iter().any(|piece| test(&piece.shape));
    let number = has(|shape| matches!(shape, Shape::Number(_) | Shape::Bound(..)));
    let range = has(|shape| matches!(shape, Shape::Range(..) | Shape::Bound(..)));
    let unit = has(|shape| matches!(shape, Shape::Unit(_)));
    let under_result = columns.is_some_and(|columns| {
        pieces.iter().any(|piece| {
            matches!(piece.shape, Shape::Number(_) | Shape::Bound(..))
                && table::under(columns, passage.place(piece.from, piece.to)) == Some(Role::Result)
        })
    });
    // A name, a range and nothing that is a value: the value is what was not read.
    let between = has(|shape| matches!(shape, Shape::Range(..)));
    let named = item
        .cells
        .first()
        .is_some_and(|cell| row::name(passage, cell.0, cell.1).is_some());
    let is_bare = item.cells.len() >= 3
        && (between || range && columns.is_some())
        && (columns.is_some() || named);
    let is_like = is_bare
        || number && range && unit
        || under_result && (range || unit || item.cells.len() >= 3);
    let is_other = crate::vitals::is_one(passage) || reader.is_taken(at, 0, passage.text.len());
    if is_like && !is_other {
        let doubt = reader.doubt(at, 0, passage.text.len(), "row_not_understood");
        reader.doubts.push(doubt);
    }
}
