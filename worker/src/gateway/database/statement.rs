//! SQL with its values beside it, and the statements a connection has prepared.

use std::collections::HashMap;

use bytes::{Bytes, BytesMut};
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Error, Row, Statement};

/// Statements a connection keeps prepared. Each costs the server some 10 to 50 kB.
const KEPT: usize = 256;

/// A statement and the values of its `$1`, `$2`, ...
#[derive(Debug, Default)]
pub(crate) struct Sql {
    pub(crate) text: String,
    pub(crate) params: Vec<Param>,
}

/// A value on its way to Postgres, which converts it by the type that its place asks for.
#[derive(Debug)]
pub(crate) enum Param {
    Text(String),
    /// A request body, shared rather than copied.
    Body(Bytes),
    /// A `bytea`, byte for byte.
    Binary(Bytes),
}

impl ToSql for Param {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(match self {
            Self::Text(text) => text.as_bytes(),
            Self::Body(bytes) | Self::Binary(bytes) => bytes,
        });
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        match self {
            Self::Text(_) | Self::Body(_) => Format::Text,
            Self::Binary(_) => Format::Binary,
        }
    }

    to_sql_checked!();
}

/// How a statement is sent.
pub(super) enum Form {
    /// Parsed, bound and executed in one message: what is seen for the first time.
    Once,
    /// Prepared earlier on this connection.
    Prepared(Statement),
}

impl Form {
    pub(super) async fn query(&self, client: &Client, sql: &Sql) -> Result<Vec<Row>, Error> {
        match self {
            Self::Prepared(statement) => {
                let params = sql.params.iter().map(|param| param as &(dyn ToSql + Sync));
                client.query(statement, &params.collect::<Vec<_>>()).await
            }
            Self::Once => {
                // Unknown: Postgres takes each type from its context, as it does for a literal.
                let params = sql
                    .params
                    .iter()
                    .map(|param| (param as &(dyn ToSql + Sync), Type::UNKNOWN));
                client
                    .query_typed(&sql.text, &params.collect::<Vec<_>>())
                    .await
            }
        }
    }
}

/// What a connection has prepared, by role: a statement analysed with one role's rights is never
/// executed by another.
#[derive(Default)]
pub(super) struct Prepared {
    by_role: HashMap<String, HashMap<String, Option<Statement>>>,
    count: usize,
}

/// What is known of a statement on this connection.
pub(super) enum Known {
    Prepared(Statement),
    /// Seen once before; worth preparing now.
    SeenBefore,
    New,
}

impl Prepared {
    /// Looks a statement up and remembers that it was asked for. One seen only once is never
    /// prepared, so that queries with ever new text cost no extra round trip.
    pub(super) fn look_up(&mut self, role: &str, text: &str) -> Known {
        match self.by_role.get(role).and_then(|of_role| of_role.get(text)) {
            Some(Some(statement)) => Known::Prepared(statement.clone()),
            Some(None) => Known::SeenBefore,
            None => {
                self.insert(role, text, None);
                Known::New
            }
        }
    }

    pub(super) fn insert(&mut self, role: &str, text: &str, statement: Option<Statement>) {
        // Starting over when full is cruder than evicting the oldest and costs no bookkeeping on
        // the way that matters; a real set of statements stays far below the bound.
        if self.count >= KEPT {
            self.by_role.clear();
            self.count = 0;
        }
        let of_role = self.by_role.entry(role.to_owned()).or_default();
        if of_role.insert(text.to_owned(), statement).is_none() {
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_prepared_from_its_second_use_and_only_for_its_role() {
        let mut prepared = Prepared::default();
        assert!(matches!(prepared.look_up("a", "select 1"), Known::New));
        assert!(matches!(
            prepared.look_up("a", "select 1"),
            Known::SeenBefore
        ));
        assert!(matches!(prepared.look_up("b", "select 1"), Known::New));
    }

    #[test]
    fn the_cache_stays_bounded() {
        let mut prepared = Prepared::default();
        for n in 0..10 * KEPT {
            prepared.look_up("a", &n.to_string());
        }
        let kept: usize = prepared.by_role.values().map(HashMap::len).sum();
        assert!(kept <= KEPT);
        assert_eq!(kept, prepared.count);
    }
}
