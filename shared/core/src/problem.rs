//! One error type for all functions: RFC 9457 problem details with a stable code.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::{Map, Value};

/// What went wrong, as callers branch on it. Each code has one status and one title for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The request has no body.
    EmptyBody,
    /// The body is not JSON, or not UTF-8.
    NotJson,
    /// A field is missing, unknown or of the wrong type.
    InvalidField,
    /// The job kind is not registered, or not open to the caller.
    UnknownKind,
    /// The payload is not an object with at least one field.
    EmptyPayload,
    /// The payload or the body is larger than allowed.
    TooLarge,
    /// No token was sent.
    TokenMissing,
    /// The token is malformed, forged or expired.
    TokenRefused,
    /// The token is good, but not for this.
    Forbidden,
    /// A signed request with a missing, wrong or old signature.
    BadSignature,
    /// No such thing, or not the caller's.
    NotFound,
    /// The path exists, the method does not.
    MethodNotAllowed,
    /// The work has already ended: too late for the request.
    AlreadyFinished,
    /// The work has not ended yet: too early for the request.
    NotFinished,
    /// The present state does not allow the request.
    WrongState,
    /// The thing existed, has expired and does not come back.
    Expired,
    /// The queue takes no more jobs for now.
    QueueFull,
    /// The caller has caused as much as one may for now.
    TooMany,
    /// The caller's plan does not cover it.
    PlanLimit,
    /// An operator has stopped writing for a while.
    Maintenance,
    /// The day's allowance is used up.
    DailyLimit,
    /// The caller's storage is used up.
    StorageFull,
    /// Postgres or the gateway cannot be reached, or is overloaded.
    DatabaseUnavailable,
    /// The object store cannot be reached, or fails.
    StorageUnavailable,
    /// The file is of a type that is not read here.
    UnsupportedType,
    /// The params do not fit the schema of the workflow.
    UnfitParams,
    /// The idempotency key belongs to another body.
    OtherBody,
    /// The first request with this idempotency key has not ended.
    StillRunning,
    /// The caller has as many idempotency keys as one may have.
    TooManyKeys,
    /// The sender stopped before the end of the body.
    IncompleteBody,
    /// The function lacks a binding; an operator must act.
    Misconfigured,
    /// A mistake of ours.
    Internal,
}

impl Code {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Self::EmptyBody | Self::NotJson | Self::InvalidField | Self::IncompleteBody => 400,
            Self::TokenMissing | Self::TokenRefused => 401,
            Self::PlanLimit => 402,
            Self::Forbidden | Self::BadSignature => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::AlreadyFinished | Self::NotFinished | Self::WrongState | Self::StillRunning => {
                409
            }
            Self::Expired => 410,
            Self::TooLarge => 413,
            Self::UnsupportedType => 415,
            Self::UnknownKind | Self::EmptyPayload | Self::OtherBody | Self::UnfitParams => 422,
            Self::QueueFull | Self::TooMany | Self::DailyLimit | Self::TooManyKeys => 429,
            Self::Misconfigured | Self::Internal => 500,
            Self::DatabaseUnavailable | Self::StorageUnavailable | Self::Maintenance => 503,
            Self::StorageFull => 507,
        }
    }

    /// The stable word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EmptyBody => "empty_body",
            Self::NotJson => "not_json",
            Self::InvalidField => "invalid_field",
            Self::UnknownKind => "unknown_kind",
            Self::EmptyPayload => "empty_payload",
            Self::TooLarge => "too_large",
            Self::TokenMissing => "token_missing",
            Self::TokenRefused => "token_refused",
            Self::Forbidden => "forbidden",
            Self::BadSignature => "bad_signature",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::AlreadyFinished => "already_finished",
            Self::NotFinished => "not_finished",
            Self::WrongState => "wrong_state",
            Self::Expired => "expired",
            Self::QueueFull => "queue_full",
            Self::TooMany => "too_many",
            Self::PlanLimit => "plan_limit",
            Self::Maintenance => "maintenance",
            Self::DailyLimit => "daily_limit",
            Self::StorageFull => "storage_full",
            Self::DatabaseUnavailable => "database_unavailable",
            Self::StorageUnavailable => "storage_unavailable",
            Self::UnsupportedType => "unsupported_type",
            Self::UnfitParams => "unfit_params",
            Self::OtherBody => "other_body",
            Self::StillRunning => "still_running",
            Self::TooManyKeys => "too_many_keys",
            Self::IncompleteBody => "incomplete_body",
            Self::Misconfigured => "misconfigured",
            Self::Internal => "internal",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::EmptyBody => "The request has no body",
            Self::NotJson => "The body is not JSON",
            Self::InvalidField => "A field is not as expected",
            Self::UnknownKind => "Unknown job kind",
            Self::EmptyPayload => "The payload is empty",
            Self::TooLarge => "Too large",
            Self::TokenMissing => "The request has no token",
            Self::TokenRefused => "The token was refused",
            Self::Forbidden => "Not allowed",
            Self::BadSignature => "The signature was refused",
            Self::NotFound => "Not found",
            Self::MethodNotAllowed => "Method not allowed",
            Self::AlreadyFinished => "The work has already ended",
            Self::NotFinished => "The work has not ended yet",
            Self::WrongState => "The present state does not allow this",
            Self::Expired => "The file has expired",
            Self::QueueFull => "The queue is full",
            Self::TooMany => "The caller's rate limit is reached",
            Self::PlanLimit => "The plan does not cover this request",
            Self::Maintenance => "Writing is stopped for maintenance",
            Self::DailyLimit => "The day's allowance is used up",
            Self::StorageFull => "The storage is full",
            Self::DatabaseUnavailable => "The database cannot be reached",
            Self::StorageUnavailable => "The file store cannot be reached",
            Self::UnsupportedType => "This type of file is not supported",
            Self::UnfitParams => "The params do not fit the workflow",
            Self::OtherBody => "The key belongs to another body",
            Self::StillRunning => "The first request is still running",
            Self::TooManyKeys => "Too many idempotency keys",
            Self::IncompleteBody => "The body is incomplete",
            Self::Misconfigured => "The function is not configured",
            Self::Internal => "Something went wrong on our side",
        }
    }
}

/// An error on its way to a caller. What it says is fit for outside; causes go to the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", .code.as_str())]
pub struct Problem {
    /// What went wrong.
    pub code: Code,
    /// A sentence that says what to do.
    pub detail: String,
    /// The field at fault, where there is one.
    pub field: Option<String>,
    /// Figures beside the sentence, as fields of the body: `used` and `limit`, `done` and `total`.
    pub figures: Map<String, Value>,
    /// For the log only.
    pub cause: Option<String>,
    /// The methods that a path has, when this one is not among them.
    pub allow: Option<Box<str>>,
}

impl Problem {
    /// A problem with its sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            field: None,
            figures: Map::new(),
            cause: None,
            allow: None,
        }
    }

    /// Names the field at fault.
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says which methods there are instead.
    pub fn allowing(mut self, methods: impl Into<Box<str>>) -> Self {
        self.allow = Some(methods.into());
        self
    }

    /// Adds figures to the body; `retry_after` among them is also the header's. The body has a `status` of its own, the number: that of
    /// the thing is its `state`.
    pub fn with(mut self, mut figures: Map<String, Value>) -> Self {
        // Its own, too: the same key twice would be no JSON that all can read.
        figures.remove("field");
        if let Some(state) = figures.remove("status") {
            figures.insert("state".to_owned(), state);
        }
        self.figures.extend(figures);
        self
    }

    /// Adds what only the log may see.
    pub fn because(mut self, cause: impl ToString) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Seconds after which trying again makes sense, for what passes by itself.
    pub fn retry_after(&self) -> Option<u32> {
        let told = self.figures.get("retry_after").and_then(Value::as_u64);
        if let Some(seconds) = told {
            return u32::try_from(seconds).ok();
        }
        matches!(
            self.code,
            Code::DatabaseUnavailable | Code::StorageUnavailable | Code::QueueFull
        )
        .then_some(5)
    }

    /// The body, as application/problem+json.
    pub fn body(&self, correlation_id: &str) -> String {
        #[derive(Serialize)]
        struct Body<'a> {
            r#type: String,
            title: &'a str,
            status: u16,
            code: &'a str,
            detail: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            field: Option<&'a str>,
            correlation_id: &'a str,
            #[serde(flatten)]
            figures: &'a Map<String, Value>,
        }
        let code = self.code.as_str();
        let body = Body {
            r#type: format!("urn:gristmill:problem:{code}"),
            title: self.code.title(),
            status: self.code.status(),
            code,
            detail: &self.detail,
            field: self.field.as_deref(),
            correlation_id,
            figures: &self.figures,
        };
        serde_json::to_string(&body).unwrap_or_default()
    }
}

/// A value that a caller gave, or the problem that names its field and says what it may be.
pub fn in_range<T: PartialOrd + Display>(
    field: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<T, Problem> {
    if range.contains(&value) {
        return Ok(value);
    }
    let detail = format!(
        "The value must be from {} to {}.",
        range.start(),
        range.end()
    );
    Err(Problem::new(Code::InvalidField, detail).at(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_never_reaches_the_caller() {
        let problem = Problem::new(Code::Internal, "Try again.").because("canary-secret");
        assert!(!problem.body("c-1").contains("canary-secret"));
    }

    #[test]
    fn figures_are_fields_of_the_body_and_may_say_when_to_come_back() {
        let figures = serde_json::json!({"used": 100, "limit": 100, "retry_after": 90});
        let full =
            Problem::new(Code::DailyLimit, "Tomorrow.").with(figures.as_object().cloned().unwrap());
        let body: serde_json::Value = serde_json::from_str(&full.body("c-1")).unwrap();
        assert_eq!((&body["used"], &body["limit"]), (&100.into(), &100.into()));
        assert_eq!(full.retry_after(), Some(90));
    }

    #[test]
    fn no_key_comes_twice() {
        let figures = serde_json::json!({"status": "pending", "progress": 25});
        let early =
            Problem::new(Code::NotFinished, "Later.").with(figures.as_object().cloned().unwrap());
        let body = early.body("c-1");
        assert_eq!(body.matches("\"status\"").count(), 1, "{body}");
        assert!(body.contains("\"state\":\"pending\""), "{body}");
    }

    #[test]
    fn a_field_is_named_when_there_is_one() {
        let body = Problem::new(Code::InvalidField, "must be a number")
            .at("priority")
            .body("c-1");
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["field"], "priority");
        assert_eq!(body["status"], 400);
        assert_eq!(body["correlation_id"], "c-1");
    }
}
