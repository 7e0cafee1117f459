//! What a request wants of Postgres, and what it gets.

use std::time::Duration;

use bytes::Bytes;

use gristmill_dialect::{Isolation, Layout, Sql};

use super::collect::Collected;
use gristmill_dialect::refusal::Refusal;

/// One transaction.
pub struct Transaction {
    pub isolation: Option<Isolation>,
    pub role: String,
    pub authenticated: bool,
    /// `select set_config(...)`, which sets the access mode and ends in the switch to `role`.
    pub settings: Sql,
    /// Answers as the layout says.
    pub statement: Sql,
    pub layout: Layout,
    pub access: Access,
    /// Says what rows cannot: what a merge updated, response.headers, response.status, and whether the
    /// session has temporary tables. None where one row has all.
    pub epilogue: Option<&'static str>,
    /// Commits only once the whole answer is there, so that one that is too large changes nothing.
    pub commits_last: bool,
    /// How long the statement may run; the request's deadline is a little later. None for as long as it likes.
    pub timeout: Option<Duration>,
    /// An `explain` whose estimate stands in for the total.
    pub estimate: Option<Sql>,
    pub check: RowCheck,
}

/// Whether the transaction may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

/// What the number of rows must be for the transaction to be committed.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowCheck {
    pub singular: bool,
    pub max_affected: Option<i64>,
    /// PUT: the payload must have been the row that the URL names.
    pub exactly_one: bool,
}

impl RowCheck {
    pub(super) fn may_refuse(self) -> bool {
        self.singular || self.exactly_one || self.max_affected.is_some()
    }

    pub(super) fn refuse(self, rows: i64) -> Result<(), Refusal> {
        if self.exactly_one && rows != 1 {
            return Err(Refusal::PutMismatch);
        }
        if self.singular && rows != 1 {
            return Err(Refusal::NotSingular(rows));
        }
        match self.max_affected {
            Some(most) if rows > most => Err(Refusal::MaxAffected(rows)),
            _ => Ok(()),
        }
    }
}

/// What Postgres answered.
#[derive(Default)]
pub struct Outcome {
    pub body: Collected,
    pub rows: i64,
    pub total: Option<i64>,
    pub headers: Option<String>,
    pub status: Option<String>,
    /// The session now has temporary tables, which the next request must not see.
    pub(super) left_tables: bool,
    /// The plan's JSON, when an estimate was asked for.
    pub estimate: Option<String>,
}

impl Outcome {
    /// From the values of the only row, in text; and the body.
    pub(super) fn whole(values: Vec<Option<Bytes>>) -> Option<(Self, Bytes)> {
        let mut values = values.into_iter();
        let body = values.next().flatten().unwrap_or_default();
        let rows = values.next().flatten().and_then(number)?;
        let mut outcome = Self::epilogue(values);
        outcome.rows = rows;
        Some((outcome, body))
    }

    /// From the values of the epilogue's row, in text.
    pub(super) fn epilogue(values: impl IntoIterator<Item = Option<Bytes>>) -> Self {
        let mut values = values.into_iter();
        let mut next = || values.next().flatten();
        Self {
            total: next().and_then(number),
            headers: next().and_then(text),
            status: next().and_then(text),
            left_tables: next().is_none_or(|value| value != "f"),
            ..Self::default()
        }
    }
}

fn text(bytes: Bytes) -> Option<String> {
    String::from_utf8(bytes.into()).ok()
}

fn number(bytes: Bytes) -> Option<i64> {
    text(bytes)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_check_refuses_what_it_is_told_to() {
        let singular = RowCheck {
            singular: true,
            ..RowCheck::default()
        };
        assert!(singular.refuse(1).is_ok());
        assert!(matches!(singular.refuse(2), Err(Refusal::NotSingular(2))));
        let bounded = RowCheck {
            max_affected: Some(3),
            ..RowCheck::default()
        };
        assert!(bounded.refuse(3).is_ok());
        assert!(matches!(bounded.refuse(4), Err(Refusal::MaxAffected(4))));
        assert!(!RowCheck::default().may_refuse());
    }

    #[test]
    fn an_outcome_is_read_from_text() {
        let value = |text: &'static str| Some(Bytes::from_static(text.as_bytes()));
        let row = |left| vec![value("[]"), value("2"), None, None, value("202"), left];
        let (outcome, body) = Outcome::whole(row(value("f"))).unwrap();
        assert!(!outcome.left_tables);
        assert_eq!(body, "[]");
        let (left, _) = Outcome::whole(row(value("t"))).unwrap();
        assert!(left.left_tables);
        let (doubt, _) = Outcome::whole(row(None)).unwrap();
        assert!(doubt.left_tables, "in doubt, yes");
        assert_eq!((outcome.rows, outcome.total), (2, None));
        assert_eq!(outcome.status.as_deref(), Some("202"));
        assert!(Outcome::whole(vec![value("[]")]).is_none());
        let after = vec![value("3"), None, value("202"), value("f")];
        assert_eq!(Outcome::epilogue(after).total, Some(3));
    }
}
