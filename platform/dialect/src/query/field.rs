//! A column, or a place inside a JSON column: `meta->tags->>0`.

use super::scanner::Scanner;
use crate::refusal::Refusal;

/// A column and the path below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub path: Vec<Step>,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub arrow: Arrow,
    pub operand: Operand,
}

/// As JSON or as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    Json,
    Text,
}

/// A key of an object or an index of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Key(String),
    Index(i32),
}

impl Field {
    /// The name a selected path goes by: its last key.
    pub fn path_alias(&self) -> Option<&str> {
        let last_key = self.path.iter().rev().find_map(|step| match &step.operand {
            Operand::Key(key) => Some(key.as_str()),
            Operand::Index(_) => None,
        });
        (!self.path.is_empty()).then(|| last_key.unwrap_or(&self.name))
    }

    pub(super) fn scan(scanner: &mut Scanner<'_>) -> Result<Self, Refusal> {
        let name = scanner.name()?;
        Self::scan_path(scanner, name)
    }

    /// The path below a name that has been read already.
    pub(super) fn scan_path(scanner: &mut Scanner<'_>, name: String) -> Result<Self, Refusal> {
        let mut path = Vec::new();
        loop {
            let arrow = if scanner.take_text("->>") {
                Arrow::Text
            } else if scanner.take_text("->") {
                Arrow::Json
            } else {
                return Ok(Self { name, path });
            };
            let operand = scan_operand(scanner)?;
            path.push(Step { arrow, operand });
        }
    }
}

/// Digits alone are an index; anything else, and any quoted text, is a key.
fn scan_operand(scanner: &mut Scanner<'_>) -> Result<Operand, Refusal> {
    if let Some(key) = scanner.quoted()? {
        return Ok(Operand::Key(key));
    }
    let rest = scanner.rest();
    let mut length = 0;
    for (at, c) in rest.char_indices() {
        if rest[at..].starts_with("->") || matches!(c, ',' | '.' | ':' | '(' | ')') {
            break;
        }
        length = at + c.len_utf8();
    }
    if length == 0 {
        return Err(scanner.unexpected("any non reserved character different from: .,>()"));
    }
    let text = &rest[..length];
    scanner.take_text(text);
    Ok(match text.parse() {
        Ok(index) => Operand::Index(index),
        Err(_) => Operand::Key(text.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Field {
        Field::scan(&mut Scanner::new("x", text)).unwrap()
    }

    #[test]
    fn paths_lead_by_keys_and_indexes() {
        let field = scan("meta->tags->>-1");
        assert_eq!(field.name, "meta");
        assert_eq!(field.path[0].operand, Operand::Key("tags".into()));
        assert_eq!(field.path[1].operand, Operand::Index(-1));
        assert_eq!(field.path[1].arrow, Arrow::Text);
    }

    #[test]
    fn a_path_goes_by_its_last_key() {
        assert_eq!(scan("meta->a->0").path_alias(), Some("a"));
        assert_eq!(scan("meta->0").path_alias(), Some("meta"));
        assert_eq!(scan("meta").path_alias(), None);
    }

    #[test]
    fn a_quoted_number_is_a_key() {
        assert_eq!(scan(r#"a->"0""#).path[0].operand, Operand::Key("0".into()));
    }

    #[test]
    fn a_path_must_lead_somewhere() {
        assert!(Field::scan(&mut Scanner::new("x", "a->")).is_err());
    }
}
