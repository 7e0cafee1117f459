//! `documents!hint(title)`: a row of another table beside each row, found by a foreign key.

use super::Selected;
use super::scanner::Scanner;
use super::select::{Depth, items};
use crate::refusal::Refusal;

/// What is asked for of the other table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// The other table, or the foreign key or its column.
    pub target: String,
    pub alias: Option<String>,
    /// Which foreign key, where there are several: its name or its column.
    pub hint: Option<String>,
    /// Rows without a row of the other table are left out.
    pub inner: bool,
    /// `...documents(title)`: the columns beside those of the row. Parsed so that the refusal can say so.
    pub spread: bool,
    pub select: Vec<Selected>,
    /// How the two are joined. The catalog says; see `gristmill-gateway`.
    pub join: Option<Join>,
}

/// Which row of the other table belongs to a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    pub schema: String,
    pub name: String,
    /// Columns of the row, each with the column of the other table that it names.
    pub on: Vec<(String, String)>,
}

impl Embed {
    /// The key that the other row goes by in the answer.
    pub fn key(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.target)
    }

    /// The rest of an item whose names have been read: hints, and the columns in parentheses.
    pub(super) fn scan(
        scanner: &mut Scanner<'_>,
        target: String,
        alias: Option<String>,
        spread: bool,
        depth: Depth,
    ) -> Result<Self, Refusal> {
        let (mut hint, mut inner) = (None, false);
        while scanner.take('!') {
            match scanner.name()?.as_str() {
                "inner" => inner = true,
                "left" => {}
                other => hint = Some(other.to_owned()),
            }
        }
        scanner.expect('(')?;
        scanner.skip_spaces();
        let select = match scanner.peek() {
            Some(')') => Vec::new(),
            _ => items(scanner, depth.below()?)?,
        };
        scanner.expect(')')?;
        Ok(Self {
            target,
            alias,
            hint,
            inner,
            spread,
            select,
            join: None,
        })
    }
}
