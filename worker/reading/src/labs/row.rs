//! One result: its name, and what of the pieces beside it is the value, the range, the unit and the flag.

use gristmill_dictionary as dictionary;

use super::pieces::{Flag, Piece, Shape, Side};
use super::table::{Column, Role, under};
use crate::passage::Passage;

/// A result as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) name: String,
    pub(crate) code: Option<&'static str>,
    pub(crate) is_known: bool,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) value: Value,
    pub(crate) unit: Option<&'static str>,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) flag: Option<Flag>,
}

/// The result itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Number(Option<Side>, f64),
    Words(String),
}

/// A name at the start of a stretch of text: its end, and what it names.
pub(crate) fn name(
    passage: &Passage,
    from: usize,
    to: usize,
) -> Option<(usize, dictionary::Analyte)> {
    let text = &passage.text;
    let first = passage.token_from(from);
    let count = passage.tokens[first..]
        .iter()
        .take_while(|token| token.1 <= to)
        .count()
        .min(8);
    (1..=count).rev().find_map(|count| {
        let mut end = passage.tokens[first + count - 1].1;
        let open = text[from..end].matches(['(', '[']).count();
        let closed = text[from..end].matches([')', ']']).count();
        if open > closed {
            let close = text[end..to].find([')', ']'])?;
            if text[end..end + close]
                .chars()
                .any(|c| !matches!(c, '.' | ' '))
            {
                return None;
            }
            end += close + 1;
        }
        let written = &text[passage.tokens[first].0.min(end)..end];
        dictionary::analyte(written).map(|analyte| (end, analyte))
    })
}

/// What the pieces beside a name say of it.
pub(crate) struct Said {
    pub(crate) value: Value,
    pub(crate) unit: Option<&'static str>,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) flag: Option<Flag>,
}

/// What the pieces beside a name say.
pub(crate) fn parsed(
    passage: &Passage,
    pieces: &[Piece],
    columns: Option<&[Column]>,
) -> Option<Said> {
    let role = |piece: &Piece| {
        columns.and_then(|columns| under(columns, passage.place(piece.from, piece.to)))
    };
    let own: Vec<(&Piece, Option<Role>)> = pieces
        .iter()
        .map(|piece| (piece, role(piece)))
        .filter(|(piece, role)| {
            *role != Some(Role::Other) || matches!(piece.shape, Shape::Unit(_) | Shape::Range(..))
        })
        .collect();
    let has = |wanted: Role| {
        columns.is_some_and(|columns| columns.iter().any(|column| column.role == wanted))
    };
    let (mut low, mut high) = (None, None);
    let mut range_at = None;
    for (at, (piece, _)) in own.iter().enumerate() {
        if let Shape::Range(from, to) = piece.shape {
            (low, high, range_at) = (Some(from), Some(to), Some(at));
            break;
        }
    }
    let value_at = value(passage, &own, has(Role::Result));
    if range_at.is_none() {
        let bound = own.iter().enumerate().find(|(at, (piece, role))| {
            Some(*at) != value_at
                && matches!(piece.shape, Shape::Bound(..))
                && (*role == Some(Role::Range) || !has(Role::Range) || columns.is_some())
        });
        if let Some((_, (piece, _))) = bound
            && let Shape::Bound(side, limit) = piece.shape
        {
            if side.is_above() {
                low = Some(limit)
            } else {
                high = Some(limit)
            }
        }
        let limit = |wanted: Role| {
            own.iter()
                .enumerate()
                .find_map(|(at, (piece, role))| match piece.shape {
                    Shape::Number(number) if *role == Some(wanted) && Some(at) != value_at => {
                        Some(number)
                    }
                    _ => None,
                })
        };
        if has(Role::Low) && has(Role::High) {
            (low, high) = (limit(Role::Low), limit(Role::High));
        }
    }
    let at = value_at?;
    let (piece, _) = own[at];
    let value = match piece.shape {
        Shape::Number(number) => Value::Number(None, number),
        Shape::Bound(side, number) => Value::Number(Some(side), number),
        Shape::Quality => Value::Words(passage.text[piece.from..piece.to].to_lowercase()),
        _ => return None,
    };
    let unit = own.iter().find_map(|(piece, _)| match piece.shape {
        Shape::Unit(unit) => Some(unit),
        _ => None,
    });
    // "normal <18" names a range and is no flag.
    let names_range = |at: usize| {
        own.get(at + 1).is_some_and(|(next, _)| {
            matches!(
                next.shape,
                Shape::Range(..) | Shape::Bound(..) | Shape::Words
            )
        })
    };
    let flags = || {
        own.iter()
            .enumerate()
            .filter_map(|(at, (piece, role))| match piece.shape {
                Shape::Flag(Flag::Normal) if names_range(at) => None,
                Shape::Flag(flag) => Some((flag, *role)),
                _ => None,
            })
    };
    let flag = flags()
        .find(|(_, role)| *role == Some(Role::Flag))
        .or_else(|| flags().find(|(flag, _)| !matches!(flag, Flag::Normal)))
        .or_else(|| flags().next());
    Some(Said {
        value,
        unit,
        low,
        high,
        flag: flag.map(|(flag, _)| flag),
    })
}

/// Which piece is the value: what stands under "Result", or by shape the first number that is no bound and no range.
fn value(passage: &Passage, own: &[(&Piece, Option<Role>)], has_result: bool) -> Option<usize> {
    let is_number = |piece: &Piece| matches!(piece.shape, Shape::Number(_));
    let is_any = |piece: &Piece| {
        matches!(
            piece.shape,
            Shape::Number(_) | Shape::Bound(..) | Shape::Quality
        )
    };
    if has_result {
        let under = own
            .iter()
            .position(|(piece, role)| *role == Some(Role::Result) && is_any(piece));
        if under.is_some() {
            return under;
        }
    }
    let _ = passage;
    let plain = own.iter().position(|(piece, role)| {
        is_number(piece)
            && !piece.in_brackets
            && !matches!(role, Some(Role::Range | Role::Low | Role::High))
    });
    let quality = || {
        own.iter()
            .position(|(piece, _)| matches!(piece.shape, Shape::Quality) && !piece.in_brackets)
    };
    let bound = || {
        own.iter().position(|(piece, role)| {
            matches!(piece.shape, Shape::Bound(..))
                && !piece.in_brackets
                && *role != Some(Role::Range)
        })
    };
    plain.or_else(bound).or_else(quality).or_else(|| {
        own.iter().position(|(piece, role)| {
            is_number(piece) && !matches!(role, Some(Role::Range | Role::Low | Role::High))
        })
    })
}

/// What value and range say: high, low, normal; nothing where they do not tell.
pub(crate) fn abnormal(value: &Value, low: Option<f64>, high: Option<f64>) -> Option<&'static str> {
    let Value::Number(side, value) = value else {
        return None;
    };
    if low.is_none() && high.is_none() {
        return None;
    }
    let is_below = |low: f64| match side {
        None => *value < low,
        Some(side) => !side.is_above() && *value <= low,
    };
    let is_above = |high: f64| match side {
        None => *value > high,
        Some(side) => side.is_above() && *value >= high,
    };
    if low.is_some_and(is_below) {
        return Some("low");
    }
    if high.is_some_and(is_above) {
        return Some("high");
    }
    // "<5" within 3 to 10 may be either.
    match side {
        None => Some("normal"),
        Some(side) if side.is_above() => {
            (high.is_none() && low.is_some_and(|low| *value >= low)).then_some("normal")
        }
        Some(_) => (low.is_none() && high.is_some_and(|high| *value <= high)).then_some("normal"),
    }
}
