//! The built-in fetchers: Financial Modeling Prep's shapes as types. A field that is missing, new or of another type
//! refuses the whole body. Serialised, each type is a row of its table in `sql/refresh/data_tables.sql`.

mod earnings;
mod profile;
mod quote;
mod read;
mod statement;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use super::refusal::Refusal;

/// A type of ours in a provider's words.
trait Shape: DeserializeOwned + Serialize {
    /// How many a response may have.
    const MOST: usize;

    /// Values that cannot be are refused; says which.
    fn sanity(&self) -> Result<(), &'static str>;
}

/// A fetcher that is code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Quote,
    Profile,
    Statements,
    Earnings,
}

impl BuiltIn {
    /// The fetcher of a data type.
    pub(super) fn serving(data_type: &str) -> Option<Self> {
        Some(match data_type {
            "quote" => Self::Quote,
            "profile" => Self::Profile,
            "financial-statements" => Self::Statements,
            "earnings" => Self::Earnings,
            _ => return None,
        })
    }

    pub(super) fn endpoint(self) -> &'static str {
        match self {
            Self::Quote => "/stable/quote?symbol={symbol}",
            Self::Profile => "/stable/profile?symbol={symbol}",
            Self::Statements => "/stable/income-statement?symbol={symbol}&period=annual&limit=5",
            Self::Earnings => "/stable/earnings?symbol={symbol}&limit=12",
        }
    }

    /// The rows of a body that has the right shape and sane values.
    pub(super) fn rows(self, body: &[u8]) -> Result<Vec<Map<String, Value>>, Refusal> {
        match self {
            Self::Quote => rows::<quote::Quote>(body),
            Self::Profile => rows::<profile::Profile>(body),
            Self::Statements => rows::<statement::Statement>(body),
            Self::Earnings => rows::<earnings::Earnings>(body),
        }
    }
}

fn rows<S: Shape>(body: &[u8]) -> Result<Vec<Map<String, Value>>, Refusal> {
    // serde calls some wrong types a syntax error: whether it is JSON is asked apart.
    let items: Vec<S> =
        serde_json::from_slice(body).map_err(|error| {
            match serde_json::from_slice::<IgnoredAny>(body) {
                Ok(_) => Refusal::Schema(error.to_string()),
                Err(_) => Refusal::NotJson,
            }
        })?;
    if items.len() > S::MOST {
        return Err(Refusal::Schema(format!("more than {} items", S::MOST)));
    }
    items
        .iter()
        .map(|item| {
            item.sanity().map_err(|what| Refusal::Insane(what.into()))?;
            match serde_json::to_value(item) {
                Ok(Value::Object(row)) => Ok(row),
                _ => Err(Refusal::Schema("the item is no row".into())),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
