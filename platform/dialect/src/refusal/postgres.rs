//! An error raised by Postgres, and the status PostgREST gives it.

use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::ServerError;

/// An error of the database, or one that a function raised to shape the whole answer.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// As Postgres reported it.
    #[error("{}", error.message)]
    Reported {
        error: Box<ServerError>,
        authenticated: bool,
        /// Whether the request was allowed to write.
        writes: bool,
    },
    /// `raise sqlstate 'PGRST'`: message and detail are JSON that says what to answer.
    #[error("{}", message.message)]
    Raised {
        message: RaisedMessage,
        answer: RaisedAnswer,
        status: StatusCode,
    },
    /// `raise sqlstate 'PGRST'` with something else than the agreed JSON.
    #[error("Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error")]
    RaisedWrongly { details: String, hint: &'static str },
}

/// The JSON in the message of `raise sqlstate 'PGRST'`.
#[derive(Debug, Deserialize)]
pub struct RaisedMessage {
    code: String,
    message: String,
    details: Option<String>,
    hint: Option<String>,
}

/// The JSON in its detail.
#[derive(Debug, Deserialize)]
pub struct RaisedAnswer {
    status: u16,
    headers: BTreeMap<String, String>,
}

const MESSAGE_HINT: &str = "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' \
    and optional keys: 'details', 'hint'.";
const DETAIL_HINT: &str = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' \
    and optional key: 'status_text'.";

impl DatabaseError {
    pub fn new(error: ServerError, authenticated: bool, writes: bool) -> Self {
        if error.code != "PGRST" {
            return Self::Reported {
                error: Box::new(error),
                authenticated,
                writes,
            };
        }
        raised(&error.message, error.detail.as_deref())
            .unwrap_or_else(|(details, hint)| Self::RaisedWrongly { details, hint })
    }

    /// Whether the session holds a plan that the schema has left behind: it would fail again and again.
    pub fn is_stale_plan(&self) -> bool {
        match self {
            Self::Reported { error, .. } => is_stale_plan(&error.code, &error.message),
            _ => false,
        }
    }

    pub(super) fn code(&self) -> &str {
        match self {
            Self::Reported { error, .. } => &error.code,
            Self::Raised { message, .. } => &message.code,
            Self::RaisedWrongly { .. } => "PGRST121",
        }
    }

    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Reported {
                error,
                authenticated,
                writes,
            } => status_of(&error.code, &error.message, *authenticated, *writes),
            Self::Raised { status, .. } => *status,
            Self::RaisedWrongly { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(super) fn details(&self) -> Option<String> {
        match self {
            Self::Reported { error, .. } => error.detail.clone(),
            Self::Raised { message, .. } => message.details.clone(),
            Self::RaisedWrongly { details, .. } => Some(details.clone()),
        }
    }

    pub(super) fn hint(&self) -> Option<String> {
        match self {
            Self::Reported { error, .. } => error.hint.clone(),
            Self::Raised { message, .. } => message.hint.clone(),
            Self::RaisedWrongly { hint, .. } => Some((*hint).to_owned()),
        }
    }

    pub(super) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        match self {
            Self::Raised { answer, .. } => answer
                .headers
                .iter()
                .filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)))
                .collect(),
            _ if self.status() == StatusCode::UNAUTHORIZED => {
                vec![(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))]
            }
            _ => Vec::new(),
        }
    }
}

/// Takes the two JSON texts apart, or says in details and hint what is wrong with them.
fn raised(message: &str, detail: Option<&str>) -> Result<DatabaseError, (String, &'static str)> {
    let parsed = serde_json::from_str(message).map_err(|_| {
        let details = format!("Invalid JSON value for MESSAGE: '{message}'");
        (details, MESSAGE_HINT)
    })?;
    let missing = || "DETAIL is missing in the RAISE statement".to_owned();
    let detail = detail.ok_or_else(|| (missing(), DETAIL_HINT))?;
    let invalid = || {
        let details = format!("Invalid JSON value for DETAIL: '{detail}'");
        (details, DETAIL_HINT)
    };
    let answer: RaisedAnswer = serde_json::from_str(detail).map_err(|_| invalid())?;
    let status = final_status(answer.status).ok_or_else(invalid)?;
    Ok(DatabaseError::Raised {
        message: parsed,
        answer,
        status,
    })
}

/// A status that ends a request; 1xx would leave the client waiting for another.
pub fn final_status(number: u16) -> Option<StatusCode> {
    let status = StatusCode::from_u16(number).ok()?;
    (200..600).contains(&number).then_some(status)
}

fn is_stale_plan(code: &str, message: &str) -> bool {
    code == "0A000" && message == "cached plan must not change result type"
}

/// What a statement meets while `gristmill migrate` commits: an object that was dropped and created anew between its
/// planning and its run. The next try finds the new one.
fn is_caught_in_a_migration(code: &str, message: &str) -> bool {
    is_stale_plan(code, message)
        || (code == "XX000"
            && [
                "cache lookup failed for ",
                "could not open relation with OID ",
                "tuple concurrently ",
            ]
            .iter()
            .any(|beginning| message.starts_with(beginning)))
}

/// PostgREST's table from SQLSTATE to status, but for what passes by itself: a statement that was out of
/// time, a deadlock, a lock that was not to be had, a lost race between two transactions, a schema that changed
/// meanwhile and a database that is read-only for a while are 503 with Retry-After, not 500.
fn status_of(code: &str, message: &str, authenticated: bool, writes: bool) -> StatusCode {
    let number = match code {
        "57014" | "40P01" | "40001" | "55P03" => 503,
        _ if is_caught_in_a_migration(code, message) => 503,
        "23503" | "23505" => 409,
        // The request itself was not read-only, so the database is.
        "25006" if writes => 503,
        "25006" => 405,
        // pg-safeupdate's refusal is the caller's mistake; other cardinality errors are the server's.
        "21000" if message.ends_with("requires a WHERE clause") => 400,
        "21000" => 500,
        // The role a token names does not exist.
        "22023" if message.starts_with("role") && message.ends_with("does not exist") => 401,
        "53400" => 500,
        "57P01" => 503,
        "P0001" => 400,
        "42883" if message.starts_with("function xmlagg(") => 406,
        "42883" | "42P01" => 404,
        "42P17" => 500,
        "42501" if authenticated => 403,
        "42501" => 401,
        _ if code.starts_with("PT") => {
            let asked = code[2..].parse().ok().and_then(final_status);
            asked.map_or(500, |status| status.as_u16())
        }
        _ => match code.get(..2).unwrap_or_default() {
            "08" | "53" => 503,
            "0L" | "0P" | "28" => 403,
            "09" | "25" | "2D" | "38" | "39" | "3B" | "40" | "54" | "55" | "57" | "58" | "F0"
            | "HV" | "P0" | "XX" => 500,
            _ => 400,
        },
    };
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstates_map_to_postgrests_statuses() {
        let table = [
            ("PT429", 429),
            ("PT402", 402),
            ("PT999", 500),
            ("PTxyz", 500),
            ("PT100", 500),
            ("P0001", 400),
            ("23505", 409),
            ("23503", 409),
            ("23514", 400),
            ("40001", 503),
            ("57014", 503),
            ("40P01", 503),
            ("55P03", 503),
            ("22023", 400),
            ("28000", 403),
            ("53300", 503),
            ("P0002", 500),
            ("XX000", 500),
            ("0A000", 400),
            ("42501", 403),
            ("AB123", 400),
            ("57P01", 503),
            ("08006", 503),
            ("25006", 405),
            ("42883", 404),
            ("42P17", 500),
        ];
        for (code, status) in table {
            assert_eq!(status_of(code, "m", true, false).as_u16(), status, "{code}");
        }
        assert_eq!(status_of("42501", "m", false, false).as_u16(), 401);
        let no_role = status_of("22023", "role \"x\" does not exist", true, false);
        assert_eq!(no_role.as_u16(), 401);
        assert_eq!(status_of("25006", "m", true, true).as_u16(), 503);
    }

    #[test]
    fn a_request_that_was_caught_in_a_migration_may_be_tried_again() {
        for (code, message) in [
            ("0A000", "cached plan must not change result type"),
            ("XX000", "cache lookup failed for function 12345"),
            ("XX000", "could not open relation with OID 12345"),
            ("XX000", "tuple concurrently updated"),
        ] {
            assert_eq!(
                status_of(code, message, true, true).as_u16(),
                503,
                "{message}"
            );
        }
        assert!(is_stale_plan(
            "0A000",
            "cached plan must not change result type"
        ));
        assert!(!is_stale_plan("0A000", "cannot do that"));
    }

    #[test]
    fn a_raised_pgrst_error_shapes_the_answer() {
        let message = r#"{"code":"123","message":"Payment Required"}"#;
        let detail = r#"{"status":402,"headers":{"X-A":"b","bad name":"c"}}"#;
        let error = raised(message, Some(detail)).unwrap();
        assert_eq!(error.status().as_u16(), 402);
        assert_eq!(error.code(), "123");
        assert_eq!(error.headers().len(), 1);
    }

    #[test]
    fn a_raised_pgrst_error_in_another_form_says_what_is_wrong() {
        let good = r#"{"code":"1","message":"m"}"#;
        assert!(raised("x", None).is_err());
        assert!(raised(good, None).is_err());
        assert!(raised(good, Some(r#"{"status":99,"headers":{}}"#)).is_err());
    }
}
