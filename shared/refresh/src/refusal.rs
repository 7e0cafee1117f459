//! Why a response was not taken, and how its job ends then.

use super::exchange::WireBytes;
use gristmill_core::job::{Failure, Outcome};

/// Why a call or its response was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// No registry row, or neither a fetcher nor an endpoint for it.
    #[error("no fetcher serves the data type {0}")]
    NoFetcher(String),
    /// The provider is not configured, or the address may not be called.
    #[error("{0}")]
    Address(String),
    /// Not done after ten seconds.
    #[error("the refresh was not done after 10 s")]
    Slow,
    /// The connection failed, or the body ended early.
    #[error("the connection failed: {0}")]
    Broken(String),
    /// 429, or the provider's own count says that the next call would be.
    #[error("the provider asks for a pause of {seconds} s")]
    Limited {
        /// How long.
        seconds: f64,
    },
    /// A redirect, which is not followed.
    #[error("the provider redirects with {0}")]
    Redirected(u16),
    /// Any other status than 200.
    #[error("the provider answered {0}")]
    Status(u16),
    /// Larger than any response may be.
    #[error("the response is larger than {0} bytes")]
    TooLarge(u64),
    /// Not JSON at all.
    #[error("the response is not JSON")]
    NotJson,
    /// The provider knows nothing of the symbol.
    #[error("the provider has no data")]
    NoData,
    /// The body does not have the shape that was agreed.
    #[error("the response does not fit its schema: {0}")]
    Schema(String),
    /// The shape fits, the values cannot be.
    #[error("the response has values that cannot be right: {0}")]
    Insane(String),
    /// Another symbol's data.
    #[error("the response is about another symbol")]
    OtherSymbol,
    /// The type has a source timestamp and the response has none.
    #[error("the response does not say when its data was made")]
    NoSourceTimestamp,
}

/// A refusal with what its call cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// Why.
    pub refusal: Refusal,
    /// What the wire carried all the same.
    pub bytes: Option<WireBytes>,
    /// Whether a call was made: only then has the provider counted one.
    pub called: bool,
}

impl Refusal {
    pub(super) fn before_the_call(self) -> Refused {
        Refused {
            refusal: self,
            bytes: None,
            called: false,
        }
    }

    pub(super) fn after_the_call(self, bytes: Option<WireBytes>) -> Refused {
        Refused {
            refusal: self,
            bytes,
            called: true,
        }
    }
}

impl Refusal {
    fn code(&self) -> &'static str {
        match self {
            Self::NoFetcher(_) => "no_fetcher",
            Self::Address(_) => "bad_address",
            Self::Slow => "slow",
            Self::Broken(_) => "connection",
            Self::Limited { .. } => "rate_limited",
            Self::Redirected(_) => "redirected",
            Self::Status(_) => "http",
            Self::TooLarge(_) => "too_large",
            Self::NotJson => "not_json",
            Self::NoData => "no_data",
            Self::Schema(_) => "schema",
            Self::Insane(_) => "insane",
            Self::OtherSymbol => "other_symbol",
            Self::NoSourceTimestamp => "no_source_timestamp",
        }
    }

    /// How the job ends: throttling burns no attempt, what no retry can cure is dead, the rest is tried again.
    pub fn outcome(&self, provider: Option<&str>) -> Outcome {
        let mut error = match self {
            Self::NoFetcher(_) | Self::Status(400 | 404 | 410 | 422) => {
                Failure::permanent(self.code(), self.to_string())
            }
            _ => Failure::retryable(self.code(), self.to_string()),
        };
        error.http_status = match self {
            Self::Status(status) | Self::Redirected(status) => Some(*status),
            Self::Limited { .. } => Some(429),
            _ => None,
        };
        error.provider = provider.map(str::to_owned);
        match self {
            Self::Limited { seconds } => Outcome::Snoozed {
                delay_seconds: *seconds,
                error,
            },
            _ if !error.retryable => Outcome::Dead { error },
            _ => Outcome::Failed { error },
        }
    }
}
