//! The last gate: what passes it may be written.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

use super::asked::{Asked, Fetcher};
use super::exchange::{Arrived, WireBytes};
use super::pace;
use super::refusal::{Refusal, Refused};
use gristmill_core::job::{JobId, Outcome};

/// When the provider says that the data was made. Postgres refuses what is older than what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceTime {
    /// Then.
    Said(DateTime<Utc>),
    /// This type's responses do not say.
    NotSaid,
}

/// Data that passed every check. Only [`Fetched::judge`] makes one, and only a `Fetched` is settled as fetched.
#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename = "fetched")]
pub struct Fetched {
    rows: Vec<Map<String, Value>>,
    bytes: WireBytes,
    events: Vec<&'static str>,
    called: bool,
    #[serde(skip)]
    source: SourceTime,
}

impl Fetched {
    /// Status, whole-body schema, sanity, symbol, source timestamp, in this order.
    pub fn judge(asked: &Asked, arrived: Arrived) -> Result<Self, Refused> {
        let bytes = arrived.bytes;
        judge(asked, arrived).map_err(|refusal| refusal.after_the_call(Some(bytes)))
    }

    /// What the wire carried.
    pub fn bytes(&self) -> WireBytes {
        self.bytes
    }

    /// When the data was made.
    pub fn source(&self) -> SourceTime {
        self.source
    }

    /// The rows as they will be written.
    pub fn rows(&self) -> &[Map<String, Value>] {
        &self.rows
    }
}

fn judge(asked: &Asked, arrived: Arrived) -> Result<Fetched, Refusal> {
    match arrived.status {
        200 => {}
        429 => {
            return Err(Refusal::Limited {
                seconds: pace::retry_after(&arrived),
            });
        }
        // A runtime that hides a redirect's status calls it 0.
        status @ (0 | 300..400) => return Err(Refusal::Redirected(status)),
        status => return Err(Refusal::Status(status)),
    }
    let rows = match &asked.fetcher {
        Fetcher::BuiltIn(built_in) => built_in.rows(&arrived.body)?,
        Fetcher::Declared(declared) => declared.rows(&arrived.body)?,
    };
    if rows.is_empty() {
        return Err(Refusal::NoData);
    }
    let is_theirs = |row: &Map<String, Value>| {
        row.get(&asked.symbol_column).and_then(Value::as_str) == Some(&asked.symbol)
    };
    if !rows.iter().all(is_theirs) {
        return Err(Refusal::OtherSymbol);
    }
    Ok(Fetched {
        source: source_time(asked, &rows)?,
        rows,
        bytes: arrived.bytes,
        called: true,
        events: if arrived.length_was_missing {
            vec!["content_length_missing"]
        } else {
            vec![]
        },
    })
}

fn source_time(asked: &Asked, rows: &[Map<String, Value>]) -> Result<SourceTime, Refusal> {
    let Some(column) = &asked.source_column else {
        return Ok(SourceTime::NotSaid);
    };
    rows.iter()
        .map(|row| {
            row.get(column)
                .and_then(Value::as_str)
                .and_then(|text| text.parse::<DateTime<Utc>>().ok())
        })
        .collect::<Option<Vec<_>>>()
        .and_then(|times| times.into_iter().max())
        .map(SourceTime::Said)
        .ok_or(Refusal::NoSourceTimestamp)
}

/// How one refresh ended.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Ending {
    /// With data that may be written.
    Fetched(Fetched),
    /// Without.
    Otherwise {
        /// How.
        #[serde(flatten)]
        outcome: Outcome,
        /// What the wire carried all the same.
        #[serde(skip_serializing_if = "Option::is_none")]
        bytes: Option<WireBytes>,
        /// Whether a call was made.
        called: bool,
    },
}

/// An ending with its fencing token, as `settle_refresh` takes it.
#[derive(Debug, Serialize)]
pub struct RefreshSettlement {
    /// The job.
    pub id: JobId,
    /// The attempt that was claimed.
    pub attempt: u32,
    /// Of which symbol.
    pub symbol: String,
    /// Of which type.
    pub data_type: String,
    /// How it ended.
    #[serde(flatten)]
    pub ending: Ending,
}
