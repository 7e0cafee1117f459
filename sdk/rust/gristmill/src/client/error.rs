//! Why a call has no answer, and whether the same call may work a moment later.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The arguments could not be written as JSON.
    #[error("the arguments could not be written as JSON")]
    Arguments(#[source] serde_json::Error),
    /// The address or a key cannot be used.
    #[error("the client is not configured: {0}")]
    Misconfigured(String),
    /// No connection, or it broke.
    #[error("the gateway could not be reached: {0}")]
    Unreachable(String),
    /// No answer in time.
    #[error("{function} did not answer in time")]
    TimedOut {
        /// Which call.
        function: String,
    },
    /// Postgres or PostgREST said no.
    #[error("{status} {code}: {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// SQLSTATE, or PGRST…
        code: String,
        /// What it said.
        message: String,
        /// Its detail as it was written. A payload that does not fit its schema is refused with `job N, field /path`.
        details: Option<String>,
        /// Figures beside it, where its detail is a JSON object.
        figures: Map<String, Value>,
        /// How long to wait at least, where the answer said so.
        retry_after: Option<Duration>,
    },
    /// An answer of another shape than agreed.
    #[error("{function} answered with something unexpected")]
    Answer {
        /// Which call.
        function: String,
        /// What was unexpected.
        #[source]
        source: serde_json::Error,
    },
}

impl CallError {
    /// A refusal as PostgREST writes it.
    pub fn refused(status: u16, body: &[u8]) -> Self {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Body {
            code: String,
            message: String,
            details: Option<String>,
        }
        let body: Body = serde_json::from_slice(body).unwrap_or_default();
        let figures = body
            .details
            .as_deref()
            .and_then(|details| serde_json::from_str(details).ok());
        Self::Refused {
            status,
            code: body.code,
            message: body.message,
            details: body.details,
            figures: figures.unwrap_or_default(),
            retry_after: None,
        }
    }

    /// Whether the same call may work a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::TimedOut { .. } => true,
            Self::Refused { status, code, .. } => {
                matches!(status, 502..=504) || is_passing_code(code)
            }
            Self::Arguments(_) | Self::Misconfigured(_) | Self::Answer { .. } => false,
        }
    }

    /// The SQLSTATE or the code of PostgREST, where the call was refused.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { code, .. } => Some(code),
            _ => None,
        }
    }

    /// The field of a payload that does not fit the schema of its kind, as a JSON Pointer.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Refused {
                details: Some(details),
                ..
            } => details.split_once("field ").map(|(_, field)| field),
            _ => None,
        }
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether PostgREST knows no function of this name: the server is older than this library.
    #[cfg(all(feature = "worker", not(target_arch = "wasm32")))]
    pub(crate) fn is_unknown_function(&self) -> bool {
        self.code() == Some("PGRST202")
    }
}

/// What passes by itself, whatever status comes with it: PostgREST answers some of these with 500 or 405. The transaction
/// left nothing behind. 40001 lost race, 40P01 deadlock, 55P03 lock not to be had (a migration), 57014 out of time,
/// 25006 read-only database. GWT429: the gateway lets this user run only so many requests at a time.
fn is_passing_code(code: &str) -> bool {
    matches!(
        code,
        "40001" | "40P01" | "55P03" | "57014" | "25006" | "GWT429"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_by_itself_is_tried_again() {
        let refused = |status, code: &str| {
            let body = format!(r#"{{"code":"{code}","message":"m"}}"#);
            CallError::refused(status, body.as_bytes()).is_passing()
        };
        for (status, code) in [
            (502, ""),
            (503, "GWT503"),
            (504, "GWT504"),
            (429, "GWT429"),
            (500, "40P01"),
            (500, "57014"),
            (405, "25006"),
        ] {
            assert!(refused(status, code), "{status} {code}");
        }
        for (status, code) in [(400, "GM005"), (404, "PGRST202"), (500, "XX000"), (505, "")] {
            assert!(!refused(status, code), "{status} {code}");
        }
    }

    #[test]
    fn a_payload_that_does_not_fit_names_the_field() {
        let body = br#"{"code":"GM011","message":"m","details":"job 0, field /customer/id"}"#;
        let error = CallError::refused(400, body);
        assert_eq!(
            (error.code(), error.field()),
            (Some("GM011"), Some("/customer/id"))
        );
    }
}
