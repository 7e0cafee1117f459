//! Every way the gateway says no, with PostgREST's codes, statuses and words.

mod postgres;
mod reason;

use hyper::StatusCode;
use hyper::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use crate::catalog::ToOne;
use gristmill_token::TokenError;
pub use postgres::{DatabaseError, final_status};
pub use reason::Reason;

/// Why a request is not answered with what it asked for.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("Database connection error. Retrying the connection.")]
    NotConnected,
    #[error("Database client error. Retrying the connection.")]
    ConnectionLost,
    #[error("Could not query the database for the schema cache. Retrying.")]
    NoSchemaCache,
    #[error("Timed out acquiring connection from connection pool.")]
    PoolTimeout,
    #[error("Too many requests are waiting for a database connection.")]
    QueueFull,

    #[error("The database did not answer in time")]
    Deadline {
        /// Whether the request might have changed something.
        writes: bool,
    },
    #[error("Too many requests of this caller are under way")]
    CallerBusy,
    #[error("The requests of this caller that are under way hold too much memory")]
    CallerMemory,
    #[error("The gateway has no memory left for this request")]
    Memory,
    #[error("The query is too costly: {found} {what}, and {most} are allowed")]
    TooCostly {
        what: &'static str,
        found: usize,
        most: usize,
    },
    #[error("The answer is larger than {most} bytes")]
    AnswerTooLarge {
        most: usize,
        /// Whether the change that the answer tells of was made all the same.
        committed: bool,
    },

    #[error("{message}")]
    Syntax { message: String, details: String },
    #[error("Cannot use the {0} method on RPC")]
    RpcMethod(String),
    #[error("{0}")]
    Body(String),
    #[error("The request body is larger than {0} bytes")]
    BodyTooLarge(usize),
    #[error("The request body did not arrive in time")]
    BodyTimeout,
    #[error("Requested range not satisfiable")]
    Range(RangeFault),
    #[error("Filters must include all and only primary key columns with 'eq' operators")]
    PutFilters,
    #[error("Invalid schema: {schema}")]
    Schema { schema: String, exposed: String },
    #[error("None of these media types are available: {0}")]
    MediaType(String),
    #[error("'{0}' is not an embedded resource in this request")]
    NotEmbedded(String),
    #[error(
        "response.headers guc must be a JSON array composed of objects with a single key and a string value"
    )]
    HeadersGuc,
    #[error("response.status guc must be a valid status code")]
    StatusGuc,
    #[error("limit/offset querystring parameters are not allowed for {0}")]
    LimitNotAllowed(String),
    #[error("Payload values do not match URL in primary key column(s)")]
    PutMismatch,
    #[error("Cannot coerce the result to a single JSON object")]
    NotSingular(i64),
    #[error("Unsupported HTTP method: {0}")]
    Method(String),
    #[error("{method} is not possible on '{name}'")]
    NotWritable {
        method: &'static str,
        name: String,
        allowed: String,
    },
    #[error("Invalid preferences given with handling=strict")]
    Preferences(String),
    #[error("Use of aggregate functions is not allowed")]
    Aggregate,
    #[error("Query result exceeds max-affected preference constraint")]
    MaxAffected(i64),
    #[error("Invalid path specified in request URL")]
    Path,
    #[error(
        "Function must return SETOF or TABLE when max-affected preference is used with handling=strict"
    )]
    MaxAffectedRpc,

    #[error("Could not find a relationship between '{parent}' and '{child}' in the schema cache")]
    Embedding {
        schema: String,
        parent: String,
        child: String,
        hint: Option<String>,
        /// `...child(…)`, which PostgREST would take.
        spread: bool,
    },
    #[error(
        "Could not embed because more than one relationship was found for '{parent}' and '{child}'"
    )]
    AmbiguousEmbedding {
        parent: String,
        child: String,
        found: Vec<ToOne>,
    },
    #[error("Could not find the function {function}{arguments} in the schema cache")]
    NoFunction {
        function: String,
        arguments: String,
        details: String,
        hint: Option<String>,
    },
    #[error("Could not choose the best candidate function between: {0}")]
    AmbiguousFunction(String),
    #[error("Could not find the '{column}' column of '{table}' in the schema cache")]
    NoColumn { table: String, column: String },
    #[error("Could not find the table '{table}' in the schema cache")]
    NoTable { table: String, hint: Option<String> },

    #[error("Server lacks JWT secret")]
    NoSecret,
    #[error("Anonymous access is disabled")]
    TokenRequired,
    #[error(transparent)]
    Token(#[from] TokenError),

    #[error("Nothing answers for {0}")]
    NoTarget(&'static str),
    #[error("The service behind {0} cannot be reached")]
    TargetDown(&'static str),
    #[error("The service behind {0} did not answer in time")]
    TargetSilent(&'static str),

    #[error(transparent)]
    Database(Box<DatabaseError>),
}

/// What is wrong with a range.
#[derive(Debug)]
pub enum RangeFault {
    NegativeLimit,
    LowerAboveUpper,
    OutOfBounds { offset: i64, total: i64 },
}

impl Refusal {
    /// The code callers branch on.
    pub fn code(&self) -> &str {
        match self {
            Self::NotConnected => "PGRST000",
            Self::ConnectionLost => "PGRST001",
            Self::NoSchemaCache => "PGRST002",
            Self::PoolTimeout | Self::QueueFull => "PGRST003",
            Self::Syntax { .. } => "PGRST100",
            Self::RpcMethod(_) => "PGRST101",
            Self::Body(_) | Self::BodyTooLarge(_) | Self::BodyTimeout => "PGRST102",
            Self::Range(_) => "PGRST103",
            Self::PutFilters => "PGRST105",
            Self::Schema { .. } => "PGRST106",
            Self::MediaType(_) => "PGRST107",
            Self::NotEmbedded(_) => "PGRST108",
            Self::HeadersGuc => "PGRST111",
            Self::StatusGuc => "PGRST112",
            Self::LimitNotAllowed(_) => "PGRST114",
            Self::PutMismatch => "PGRST115",
            Self::NotSingular(_) => "PGRST116",
            Self::Method(_) | Self::NotWritable { .. } => "PGRST117",
            Self::Preferences(_) => "PGRST122",
            Self::Aggregate => "PGRST123",
            Self::MaxAffected(_) => "PGRST124",
            Self::Path => "PGRST125",
            Self::MaxAffectedRpc => "PGRST128",
            Self::Embedding { .. } => "PGRST200",
            Self::AmbiguousEmbedding { .. } => "PGRST201",
            Self::NoFunction { .. } => "PGRST202",
            Self::AmbiguousFunction(_) => "PGRST203",
            Self::NoColumn { .. } => "PGRST204",
            Self::NoTable { .. } => "PGRST205",
            Self::NoSecret => "PGRST300",
            Self::TokenRequired => "PGRST302",
            Self::Token(error) => error.code(),
            // Beyond PostgREST's own numbers: what stands in for Supabase's routing.
            Self::NoTarget(_) => "GWT404",
            Self::TargetDown(_) => "GWT502",
            Self::TooCostly { .. } => "GWT400",
            Self::AnswerTooLarge { .. } => "GWT413",
            Self::CallerBusy | Self::CallerMemory => "GWT429",
            Self::Memory => "GWT503",
            Self::Deadline { .. } | Self::TargetSilent(_) => "GWT504",
            Self::Database(error) => error.code(),
        }
    }

    /// The status PostgREST answers with.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotConnected
            | Self::ConnectionLost
            | Self::NoSchemaCache
            | Self::QueueFull
            | Self::Memory => StatusCode::SERVICE_UNAVAILABLE,
            Self::PoolTimeout | Self::Deadline { .. } | Self::TargetSilent(_) => {
                StatusCode::GATEWAY_TIMEOUT
            }
            Self::CallerBusy | Self::CallerMemory => StatusCode::TOO_MANY_REQUESTS,
            Self::BodyTooLarge(_) | Self::AnswerTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Range(_) => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::RpcMethod(_) | Self::PutFilters | Self::Method(_) | Self::NotWritable { .. } => {
                StatusCode::METHOD_NOT_ALLOWED
            }
            Self::Schema { .. } | Self::MediaType(_) | Self::NotSingular(_) => {
                StatusCode::NOT_ACCEPTABLE
            }
            Self::HeadersGuc | Self::StatusGuc | Self::NoSecret => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            Self::Path | Self::NoFunction { .. } | Self::NoTable { .. } | Self::NoTarget(_) => {
                StatusCode::NOT_FOUND
            }
            Self::AmbiguousFunction(_) | Self::AmbiguousEmbedding { .. } => {
                StatusCode::MULTIPLE_CHOICES
            }
            Self::TokenRequired | Self::Token(_) => StatusCode::UNAUTHORIZED,
            Self::TargetDown(_) => StatusCode::BAD_GATEWAY,
            Self::Database(error) => error.status(),
            _ => StatusCode::BAD_REQUEST,
        }
    }

    fn details(&self) -> Option<String> {
        match self {
            Self::Syntax { details, .. } | Self::NoFunction { details, .. } => {
                Some(details.clone())
            }
            Self::Range(fault) => Some(match fault {
                RangeFault::NegativeLimit => {
                    "Limit should be greater than or equal to zero.".into()
                }
                RangeFault::LowerAboveUpper => {
                    "The lower boundary must be lower than or equal to the upper boundary in the \
                     Range header."
                        .into()
                }
                RangeFault::OutOfBounds { offset, total } => {
                    format!("An offset of {offset} was requested, but there are only {total} rows.")
                }
            }),
            Self::NotSingular(rows) => Some(format!("The result contains {rows} rows")),
            Self::Preferences(names) => Some(format!("Invalid preferences: {names}")),
            Self::MaxAffected(rows) => Some(format!("The query affects {rows} rows")),
            Self::Embedding { spread: true, .. } => {
                Some("This gateway embeds related tables and does not spread them.".into())
            }
            Self::Embedding {
                schema,
                parent,
                child,
                hint,
                ..
            } => {
                let hint = hint.as_ref();
                let hint =
                    hint.map_or_else(String::new, |hint| format!(" using the hint '{hint}'"));
                Some(format!(
                    "Searched for a foreign key relationship between '{parent}' and '{child}'{hint} in the \
                     schema '{schema}', but no matches were found."
                ))
            }
            Self::Deadline { writes: true } => {
                Some("It is not known whether the change was made.".into())
            }
            Self::AnswerTooLarge {
                committed: true, ..
            } => Some("The function has run to its end, and what it changed is kept.".into()),
            Self::Database(error) => error.details(),
            _ => None,
        }
    }

    /// What a caller may choose from: PostgREST gives it as a list.
    fn choices(&self) -> Option<Value> {
        let Self::AmbiguousEmbedding { parent, found, .. } = self else {
            return None;
        };
        let choices = found.iter().map(|ToOne { constraint, target, on }| {
            let columns = |side: fn(&(String, String)) -> &str| {
                on.iter().map(side).collect::<Vec<_>>().join(", ")
            };
            let (here, there) = (columns(|pair| &pair.0), columns(|pair| &pair.1));
            json!({
                "cardinality": "many-to-one",
                "embedding": format!("{parent} with {target}"),
                "relationship": format!("{constraint} using {parent}({here}) and {target}({there})"),
            })
        });
        Some(choices.collect())
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Schema { exposed, .. } => {
                Some(format!("Only the following schemas are exposed: {exposed}"))
            }
            Self::NotEmbedded(name) => Some(format!(
                "Verify that '{name}' is included in the 'select' query parameter."
            )),
            Self::AmbiguousFunction(_) => Some(
                "Try renaming the parameters or the function itself in the database so function \
                 overloading can be resolved"
                    .into(),
            ),
            Self::Embedding { .. } => Some(
                "This gateway embeds the one row that a foreign key names. Ask for other tables one by one, \
                 or for a view or function that joins them."
                    .into(),
            ),
            Self::AmbiguousEmbedding { child, found, .. } => {
                let choices: Vec<String> = found
                    .iter()
                    .map(|one| format!("'{child}!{}'", one.constraint))
                    .collect();
                Some(format!(
                    "Try changing '{child}' to one of the following: {}. Find the desired relationship in \
                     the 'details' key.",
                    choices.join(", ")
                ))
            }
            Self::TooCostly { .. } => {
                Some("Ask for less in one request, or for a function that does the work.".into())
            }
            Self::AnswerTooLarge { .. } => {
                Some("Ask for fewer rows (limit, Range) or for fewer columns (select).".into())
            }
            Self::CallerBusy | Self::CallerMemory => {
                Some("Wait for the answers to earlier requests.".into())
            }
            Self::NoFunction { hint, .. } | Self::NoTable { hint, .. } => hint.clone(),
            Self::Database(error) => error.hint(),
            _ => None,
        }
    }

    /// The body every PostgREST client knows how to read.
    pub fn body(&self) -> String {
        json!({
            "code": self.code(),
            "message": self.to_string(),
            "details": self.choices().or_else(|| self.details().map(Value::String)),
            "hint": self.hint(),
        })
        .to_string()
    }

    /// Headers beside the body: how to authenticate, when to come back, what the database adds.
    pub fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = Vec::new();
        match self {
            Self::Token(error) => {
                let text = format!("Bearer error=\"invalid_token\", error_description=\"{error}\"");
                headers.extend(
                    HeaderValue::from_str(&text)
                        .ok()
                        .map(|value| (WWW_AUTHENTICATE, value)),
                );
            }
            Self::TokenRequired => {
                headers.push((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
            }
            Self::NotWritable { allowed, .. } => {
                let allowed = HeaderValue::from_str(allowed).ok();
                headers.extend(allowed.map(|value| (ALLOW, value)));
            }
            Self::Database(error) => headers.extend(error.headers()),
            _ => {}
        }
        let asks_for_patience = matches!(
            self.status(),
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT | StatusCode::BAD_GATEWAY
        ) || matches!(self, Self::CallerBusy | Self::CallerMemory);
        if asks_for_patience && !headers.iter().any(|(name, _)| name == RETRY_AFTER) {
            headers.push((RETRY_AFTER, HeaderValue::from_static("1")));
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_token_says_so_in_www_authenticate() {
        let headers = Refusal::Token(TokenError::Expired).headers();
        assert!(headers[0].1.to_str().unwrap().contains("JWT expired"));
    }

    #[test]
    fn every_passing_trouble_carries_retry_after() {
        for refusal in [
            Refusal::NotConnected,
            Refusal::NoSchemaCache,
            Refusal::QueueFull,
            Refusal::PoolTimeout,
            Refusal::TargetDown("/functions/v1"),
            Refusal::TargetSilent("/functions/v1"),
            Refusal::Deadline { writes: true },
            Refusal::CallerBusy,
            Refusal::Memory,
        ] {
            let headers = refusal.headers();
            assert!(headers.iter().any(|(name, _)| name == RETRY_AFTER));
        }
    }

    #[test]
    fn the_body_has_postgrests_four_fields() {
        let body: serde_json::Value =
            serde_json::from_str(&Refusal::NotSingular(2).body()).unwrap();
        assert_eq!(body["code"], "PGRST116");
        assert_eq!(body["details"], "The result contains 2 rows");
        assert!(body["hint"].is_null());
    }
}
