//! What a request wants of Postgres, and what it gets.

use bytes::Bytes;

use super::statement::Sql;
use crate::gateway::refusal::Refusal;

/// One transaction.
pub(crate) struct Transaction {
    pub(crate) isolation: Option<Isolation>,
    pub(crate) role: String,
    pub(crate) authenticated: bool,
    /// `select set_config(...)`, which sets the access mode and ends in the switch to `role`.
    pub(crate) settings: Sql,
    /// Answers with one row: body, rows, total, response.headers, response.status, and whether the
    /// session has temporary tables.
    pub(crate) statement: Sql,
    /// An `explain` whose estimate stands in for the total.
    pub(crate) estimate: Option<Sql>,
    pub(crate) check: RowCheck,
}

/// Whether the transaction may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    ReadOnly,
    ReadWrite,
}

/// Other than read committed, asked for by a role's or a function's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    RepeatableRead,
    Serializable,
}

impl Isolation {
    /// The level of that name; read committed and unknown names need no saying.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "repeatable read" => Some(Self::RepeatableRead),
            "serializable" => Some(Self::Serializable),
            _ => None,
        }
    }
}

/// What the number of rows must be for the transaction to be committed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowCheck {
    pub(crate) singular: bool,
    pub(crate) max_affected: Option<i64>,
    /// PUT: the payload must have been the row that the URL names.
    pub(crate) exactly_one: bool,
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
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) body: Bytes,
    pub(crate) rows: i64,
    pub(crate) total: Option<i64>,
    pub(crate) headers: Option<String>,
    pub(crate) status: Option<String>,
    /// The session now has temporary tables, which the next request must not see.
    pub(super) left_tables: bool,
    /// The plan's JSON, when an estimate was asked for.
    pub(crate) estimate: Option<String>,
}

impl Outcome {
    /// From the values of the statement's row, in text.
    pub(super) fn read(values: Vec<Option<Bytes>>) -> Option<Self> {
        let mut values = values.into_iter();
        let mut next = || values.next().flatten();
        let text = |bytes: Bytes| String::from_utf8(bytes.into()).ok();
        let number = |bytes: Bytes| text(bytes)?.parse().ok();
        Some(Self {
            body: next().unwrap_or_default(),
            rows: next().and_then(number)?,
            total: next().and_then(number),
            headers: next().and_then(text),
            status: next().and_then(text),
            left_tables: next().is_none_or(|value| value != "f"),
            estimate: None,
        })
    }
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
        let outcome = Outcome::read(row(value("f"))).unwrap();
        assert!(!outcome.left_tables);
        assert!(Outcome::read(row(value("t"))).unwrap().left_tables);
        assert!(
            Outcome::read(row(None)).unwrap().left_tables,
            "in doubt, yes"
        );
        assert_eq!((outcome.rows, outcome.total), (2, None));
        assert_eq!(outcome.status.as_deref(), Some("202"));
        assert!(Outcome::read(vec![value("[]")]).is_none());
    }
}
