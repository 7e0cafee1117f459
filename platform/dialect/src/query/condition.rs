//! Filters: `age=gte.18`, and trees of them: `or=(a.eq.1,not.and(b.is.null,c.in.(1,2)))`.

use super::field::Field;
use super::operator::{is_known, is_quantifiable, like, operator, text_search};
use super::scanner::Scanner;
use crate::refusal::Refusal;

/// Trees deeper than this are refused, so that a request cannot exhaust the stack.
const DEEPEST: usize = 50;

/// What a row must fulfil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Compare {
        field: Field,
        negated: bool,
        operation: Operation,
    },
    Group {
        /// `and` rather than `or`.
        all: bool,
        negated: bool,
        members: Vec<Condition>,
    },
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// By an operator, with one value or with any or all of an array's.
    Operator {
        sql: &'static str,
        quantifier: Option<Quantifier>,
        value: String,
    },
    Like {
        sql: &'static str,
        quantifier: Option<Quantifier>,
        /// With `*` still standing for any text.
        pattern: String,
    },
    In(Vec<String>),
    Is(IsValue),
    DistinctFrom(String),
    TextSearch {
        function: &'static str,
        language: Option<String>,
        value: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Any,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsValue {
    Null,
    NotNull,
    True,
    False,
    Unknown,
}

/// Whether a text begins like a filter; tells a function's arguments from filters on its rows.
pub fn looks_like_filter(value: &str) -> bool {
    let Some((head, _)) = value.split_once('.') else {
        return false;
    };
    let word = head.split('(').next().unwrap_or_default();
    word == "not" || is_known(word)
}

/// `column=operator.value`
pub fn parse_filter(name: &str, value: &str) -> Result<Condition, Refusal> {
    let mut key = Scanner::new("tree path", name);
    let field = Field::scan(&mut key)?;
    if key.peek() == Some('.') {
        return Err(Refusal::NotEmbedded(field.name));
    }
    key.end("\".\" or end of input")?;
    let mut scanner = Scanner::new("filter", value);
    compare(&mut scanner, field, Place::Alone)
}

/// `or=(...)`, where `name` is and, or, not.and or not.or.
pub(super) fn parse_group(name: &str, value: &str) -> Result<Condition, Refusal> {
    let (negated, word) = match name.strip_prefix("not.") {
        Some(word) => (true, word),
        None => (false, name),
    };
    let mut scanner = Scanner::new("logic tree", value);
    let group = members(&mut scanner, word == "and", negated, 0)?;
    scanner.end("end of input")?;
    Ok(group)
}

fn members(
    scanner: &mut Scanner<'_>,
    all: bool,
    negated: bool,
    depth: usize,
) -> Result<Condition, Refusal> {
    if depth > DEEPEST {
        return Err(scanner.wrong("the logic tree is too deep"));
    }
    scanner.skip_spaces();
    scanner.expect('(')?;
    let mut members = Vec::new();
    loop {
        members.push(member(scanner, depth)?);
        scanner.skip_spaces();
        if !scanner.take(',') {
            break;
        }
    }
    scanner.expect(')')?;
    Ok(Condition::Group {
        all,
        negated,
        members,
    })
}

fn member(scanner: &mut Scanner<'_>, depth: usize) -> Result<Condition, Refusal> {
    scanner.skip_spaces();
    for (opening, all, negated) in [
        ("and", true, false),
        ("or", false, false),
        ("not.and", true, true),
        ("not.or", false, true),
    ] {
        // A column may be called `order`: only the parenthesis makes it a group.
        let rest = scanner.rest();
        if rest.starts_with(opening) && rest[opening.len()..].trim_start().starts_with('(') {
            scanner.take_text(opening);
            return members(scanner, all, negated, depth + 1);
        }
    }
    let field = Field::scan(scanner)?;
    scanner.expect('.')?;
    compare(scanner, field, Place::InTree)
}

/// Alone a value reaches to the end, as it is; in a tree it ends at a comma or parenthesis and may
/// be quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Alone,
    InTree,
}

fn compare(scanner: &mut Scanner<'_>, field: Field, place: Place) -> Result<Condition, Refusal> {
    let mut negated = false;
    while scanner.take_text("not.") {
        negated = !negated;
    }
    let operation = operation(scanner, place)?;
    Ok(Condition::Compare {
        field,
        negated,
        operation,
    })
}

const EXPECTING: &str = "\"not\" or operator (eq, gt, ...)";

fn operation(scanner: &mut Scanner<'_>, place: Place) -> Result<Operation, Refusal> {
    let mut probe = Scanner::new("", scanner.rest());
    let word = probe.take_while(|c| c.is_ascii_alphanumeric());
    if !is_known(word) {
        return Err(scanner.unexpected(EXPECTING));
    }
    scanner.take_text(word);
    let parameter = parenthesised(scanner)?;
    scanner.expect('.')?;
    let only_any_or_all = || match parameter.as_deref() {
        None => Ok(None),
        Some("any") => Ok(Some(Quantifier::Any)),
        Some("all") => Ok(Some(Quantifier::All)),
        Some(_) => Err(scanner_wrong(word)),
    };
    if let Some(sql) = operator(word) {
        let quantifier = if is_quantifiable(word) {
            only_any_or_all()?
        } else if parameter.is_some() {
            return Err(scanner.wrong("this operator takes no modifier"));
        } else {
            None
        };
        let value = value(scanner, place)?;
        return Ok(Operation::Operator {
            sql,
            quantifier,
            value,
        });
    }
    if let Some(sql) = like(word) {
        let quantifier = only_any_or_all()?;
        let pattern = value(scanner, place)?;
        return Ok(Operation::Like {
            sql,
            quantifier,
            pattern,
        });
    }
    if let Some(function) = text_search(word) {
        return Ok(Operation::TextSearch {
            function,
            language: parameter,
            value: value(scanner, place)?,
        });
    }
    if parameter.is_some() {
        return Err(scanner.wrong("this operator takes no modifier"));
    }
    match word {
        "in" => list(scanner, place).map(Operation::In),
        "isdistinct" => value(scanner, place).map(Operation::DistinctFrom),
        _ => is_value(scanner, place).map(Operation::Is),
    }
}

fn scanner_wrong(word: &str) -> Refusal {
    Scanner::new("filter", word).wrong("expecting \"any\" or \"all\"")
}

/// `(any)`, `(english)`
fn parenthesised(scanner: &mut Scanner<'_>) -> Result<Option<String>, Refusal> {
    if !scanner.take('(') {
        return Ok(None);
    }
    let text = scanner
        .take_while(|c| c.is_alphanumeric() || c == '_')
        .to_owned();
    scanner.expect(')')?;
    Ok(Some(text))
}

fn value(scanner: &mut Scanner<'_>, place: Place) -> Result<String, Refusal> {
    if place == Place::Alone {
        return Ok(scanner.take_rest().to_owned());
    }
    if let Some(quoted) = scanner.quoted()? {
        return Ok(quoted);
    }
    // An array or range literal keeps its commas.
    if scanner.peek() == Some('{') {
        let inside = scanner.take_while(|c| c != '}').to_owned();
        scanner.expect('}')?;
        return Ok(inside + "}");
    }
    Ok(scanner.take_while(|c| !matches!(c, ',' | ')')).to_owned())
}

/// `(a,"b,c",d)`
fn list(scanner: &mut Scanner<'_>, place: Place) -> Result<Vec<String>, Refusal> {
    scanner.expect('(')?;
    let mut values = Vec::new();
    if !scanner.take(')') {
        loop {
            scanner.skip_spaces();
            match scanner.quoted()? {
                Some(value) => {
                    values.push(value);
                    scanner.skip_spaces();
                }
                None => values.push(scanner.take_while(|c| !matches!(c, ',' | ')')).to_owned()),
            }
            if !scanner.take(',') {
                break;
            }
        }
        scanner.expect(')')?;
    }
    if place == Place::Alone {
        scanner.end("end of input")?;
    }
    Ok(values)
}

fn is_value(scanner: &mut Scanner<'_>, place: Place) -> Result<IsValue, Refusal> {
    let before = Scanner::new("filter", scanner.rest());
    let text = value(scanner, place)?;
    Ok(match text.to_ascii_lowercase().as_str() {
        "null" => IsValue::Null,
        "not_null" => IsValue::NotNull,
        "true" => IsValue::True,
        "false" => IsValue::False,
        "unknown" => IsValue::Unknown,
        _ => {
            return Err(before.unexpected("isVal: (null, not_null, true, false, unknown)"));
        }
    })
}

#[cfg(test)]
mod tests;
