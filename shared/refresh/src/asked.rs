//! A job whose data type has a fetcher and whose address may be called.

use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use super::address::Providers;
use super::declared::Declared;
use super::exchange::Request;
use super::fmp::BuiltIn;
use super::refusal::Refusal;
use gristmill_core::job::JobId;

/// A claimed refresh.
#[derive(Debug, Clone, Deserialize)]
pub struct RefreshJob {
    /// The job.
    pub id: JobId,
    /// With the worker's name, the fencing token.
    pub attempt: u32,
    /// What to fetch.
    pub payload: RefreshPayload,
}

/// What to fetch.
#[derive(Debug, Clone, Deserialize)]
pub struct RefreshPayload {
    /// Of which symbol.
    pub symbol: String,
    /// A row of the registry.
    pub data_type: String,
}

/// What the registry says of a data type.
#[derive(Debug, Clone, Deserialize)]
pub struct TypeRow {
    /// Whom to ask.
    pub provider: String,
    /// Path on the provider's host, with `{symbol}`; none for a built-in type.
    pub endpoint_template: Option<String>,
    /// JSON Schema of the whole body.
    pub response_schema: Option<Value>,
    /// From columns to JSON pointers into an item of the body.
    pub column_map: Option<Map<String, Value>>,
    /// The column that holds the symbol.
    pub symbol_column: String,
    /// The column that holds the provider's own time, where it says one.
    pub source_timestamp_column: Option<String>,
}

#[derive(Debug)]
pub(super) enum Fetcher {
    BuiltIn(BuiltIn),
    Declared(Box<Declared>),
}

/// A call that may be made.
#[derive(Debug)]
pub struct Asked {
    pub(super) symbol: String,
    pub(super) fetcher: Fetcher,
    pub(super) symbol_column: String,
    pub(super) source_column: Option<String>,
    url: Url,
    key: Option<String>,
}

impl Asked {
    /// The right fetcher for this data type, at an address on its provider's host; or why not.
    pub fn new(
        job: &RefreshJob,
        row: Option<&TypeRow>,
        providers: &Providers,
    ) -> Result<Self, Refusal> {
        let RefreshPayload { symbol, data_type } = job.payload.clone();
        let row = row.ok_or_else(|| Refusal::NoFetcher(data_type.clone()))?;
        let provider = providers.get(&row.provider).ok_or_else(|| {
            Refusal::Address(format!("the provider {} is not configured", row.provider))
        })?;
        let declared = Declared::of(row)?;
        let (fetcher, template) = match (declared, BuiltIn::serving(&data_type)) {
            (Some((declared, template)), _) => (Fetcher::Declared(Box::new(declared)), template),
            (None, Some(built_in)) => (Fetcher::BuiltIn(built_in), built_in.endpoint()),
            (None, None) => return Err(Refusal::NoFetcher(data_type)),
        };
        let url = provider
            .address(template, &symbol)
            .map_err(|error| Refusal::Address(error.to_string()))?;
        Ok(Self {
            symbol,
            fetcher,
            symbol_column: row.symbol_column.clone(),
            source_column: row.source_timestamp_column.clone(),
            url,
            key: provider.key().map(str::to_owned),
        })
    }

    pub(super) fn request(&self) -> Request {
        Request {
            url: self.url.clone(),
            key: self.key.clone(),
        }
    }
}
