//! What can go wrong between a function and Postgres, as its caller sees it: the one table from SQLSTATE to problem.

use gristmill::CallError as RpcError;
use serde_json::Value;

use crate::{Code, Problem};

impl From<RpcError> for Problem {
    fn from(error: RpcError) -> Self {
        let unavailable = || Problem::new(Code::DatabaseUnavailable, "Try again in a few seconds.");
        let forbidden = || {
            let detail = "This token does not allow this request. Send the token of a role that may make it.";
            Problem::new(Code::Forbidden, detail)
        };
        let problem = match &error {
            RpcError::Unreachable(_) | RpcError::TimedOut { .. } => unavailable(),
            RpcError::Misconfigured(_) => Problem::new(
                Code::Misconfigured,
                "An operator must complete the deployment.",
            ),
            RpcError::Refused {
                status,
                code,
                message,
                figures,
                ..
            } => match (code.as_str(), *status) {
                // Its words repeat what was sent.
                ("GM001", _) => {
                    let detail = "There is no such kind of job, or it is not open to you.";
                    Problem::new(Code::UnknownKind, detail).at("kind")
                }
                ("GM002", _) => Problem::new(Code::EmptyPayload, capital(message)).at("payload"),
                ("GM003", _) => Problem::new(Code::TooLarge, capital(message)).at("payload"),
                ("GM004", _) => Problem::new(Code::InvalidField, capital(message)),
                // The payload does not fit the schema of its kind: the message says where and how, without what was sent.
                ("GM011", _) => Problem::new(Code::InvalidField, capital(message)).at("payload"),
                // Postgres' own words on a value: not of its type, out of its range, a NUL or a broken escape,
                // nested too deep. They may quote what was sent, so they are not passed on.
                (
                    "23514" | "22P02" | "22P05" | "22003" | "22007" | "22008" | "22021" | "22001" | "54001",
                    _,
                ) => {
                    let detail = "A value cannot be stored: look for numbers and dates out of range, and for \\u0000.";
                    Problem::new(Code::InvalidField, detail)
                }
                ("GM080", _) => Problem::new(Code::OtherBody, capital(message)).at("idempotency-key"),
                ("GM081", _) => Problem::new(Code::StillRunning, capital(message)),
                ("GM082", _) => Problem::new(Code::TooManyKeys, capital(message)),
                // Under a key as without one: the call is not open to the caller.
                ("GM083", _) => forbidden(),
                ("GM084", _) => Problem::new(Code::TooLarge, capital(message)),
                ("GM006", _) => Problem::new(Code::QueueFull, capital(message)),
                ("GM015", _) => Problem::new(Code::TooMany, capital(message)),
                ("GM021", _) => Problem::new(Code::TooLarge, capital(message)),
                ("GM022", _) => Problem::new(Code::Maintenance, capital(message)),
                ("GM023", _) => Problem::new(Code::PlanLimit, capital(message)),
                ("GM025", _) => Problem::new(Code::InvalidField, capital(message)).at("plan"),
                ("GM050", _) => Problem::new(Code::NotFound, capital(message)),
                ("GM051", _) => Problem::new(Code::StorageFull, capital(message)),
                ("GM052", _) => Problem::new(Code::DailyLimit, capital(message)),
                ("GM053", _) => Problem::new(Code::AlreadyFinished, capital(message)),
                ("GM054", _) => Problem::new(Code::Expired, capital(message)),
                ("GM055", _) => Problem::new(Code::NotFinished, capital(message)),
                ("GM090", _) => Problem::new(
                    Code::TokenRefused,
                    "The ticket is not valid for this stream, or has expired. Ask for a new ticket.",
                ),
                ("GM046", _) => Problem::new(
                    Code::NotFound,
                    "There is nothing with this id, or it is not yours.",
                ),
                ("GM047", _) => Problem::new(Code::UnsupportedType, capital(message)),
                ("GM048", _) => Problem::new(Code::NotFinished, capital(message)),
                ("GM049", _) => Problem::new(Code::InvalidField, capital(message)),
                ("GM060", _) => Problem::new(Code::UnknownKind, capital(message)).at("type"),
                ("GM066", _) => Problem::new(Code::InvalidField, capital(message)).at("params"),
                // The message says where and how, without what was sent.
                ("GM070", _) => {
                    let field = figures.get("field").and_then(Value::as_str);
                    Problem::new(Code::UnfitParams, capital(message)).at(field.unwrap_or("params"))
                }
                ("GM067", _) => Problem::new(Code::WrongState, capital(message)),
                ("GM068", _) => Problem::new(Code::OtherBody, capital(message)),
                ("PGRST301" | "PGRST302" | "PGRST303", _) | ("22023", 401) => Problem::new(
                    Code::TokenRefused,
                    "Send a valid token that has not expired.",
                ),
                ("42501", 401) => Problem::new(
                    Code::TokenMissing,
                    "Send a token as 'Authorization: Bearer …'.",
                ),
                ("42501", _) => forbidden(),
                // No such function or no such schema: the application is not installed, lies elsewhere, or its schema is
                // not exposed.
                ("PGRST106" | "PGRST202", _) => Problem::new(
                    Code::Misconfigured,
                    "An operator must complete the deployment.",
                ),
                _ if error.is_passing() || *status >= 502 => unavailable(),
                _ => Problem::new(
                    Code::Internal,
                    "The failure was logged under this correlation id.",
                ),
            }
            .with(figures.clone()),
            RpcError::Arguments(_) | RpcError::Answer { .. } => Problem::new(
                Code::Internal,
                "The failure was logged under this correlation id.",
            ),
        };
        problem.because(error)
    }
}

fn capital(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(status: u16, body: &str) -> Problem {
        RpcError::refused(status, body.as_bytes()).into()
    }

    #[test]
    fn an_sqlstate_of_ours_becomes_its_own_problem() {
        let unknown = problem(
            400,
            r#"{"code":"GM001","message":"unknown job kind \"x\""}"#,
        );
        assert_eq!(
            (unknown.code, unknown.code.status()),
            (Code::UnknownKind, 422)
        );
        assert_eq!(
            problem(400, r#"{"code":"GM003","message":"m"}"#).code,
            Code::TooLarge
        );
    }

    #[test]
    fn a_payload_that_does_not_fit_its_schema_is_the_fault_of_the_caller() {
        let refused = problem(400, r#"{"code":"GM011","message":"/to must be a string"}"#);
        assert_eq!(
            (refused.code.status(), refused.field.as_deref()),
            (400, Some("payload"))
        );
    }

    #[test]
    fn a_full_queue_says_when_to_come_back() {
        let full = problem(400, r#"{"code":"GM006","message":"m"}"#);
        assert_eq!((full.code.status(), full.retry_after()), (429, Some(5)));
    }

    #[test]
    fn a_user_who_causes_too_much_is_told_the_bound_and_when_to_come_back() {
        let refused = problem(
            429,
            r#"{"code":"GM015","message":"m","details":"{\"limit\": 1200, \"retry_after\": 7}"}"#,
        );
        assert_eq!(
            (refused.code.status(), refused.retry_after()),
            (429, Some(7))
        );
        assert_eq!(refused.figures["limit"], 1200);
    }

    #[test]
    fn params_that_do_not_fit_are_422_with_the_field() {
        let unfit = problem(
            400,
            r#"{"code":"GM070","message":"the params do not fit: params.person1.born must be of the format date","details":"{\"field\": \"params.person1.born\"}"}"#,
        );
        assert_eq!((unfit.code, unfit.code.status()), (Code::UnfitParams, 422));
        assert_eq!(unfit.field.as_deref(), Some("params.person1.born"));
        assert!(unfit.figures.is_empty());
    }

    #[test]
    fn figures_in_the_detail_reach_the_caller_and_prose_there_does_not() {
        let full = problem(
            400,
            r#"{"code":"GM051","message":"m","details":"{\"used\": 7, \"limit\": 5}"}"#,
        );
        assert_eq!(full.figures["used"], 7);
        assert_eq!(full.code.status(), 507);
        let prose = problem(400, r#"{"code":"GM003","message":"m","details":"job 0"}"#);
        assert!(prose.figures.is_empty());
    }

    #[test]
    fn maintenance_is_503_and_says_when_it_may_be_over() {
        let body = r#"{"code":"GM022","message":"m","details":"{\"reason\":\"move\",\"retry_after\":90}"}"#;
        let stopped = problem(503, body);
        assert_eq!(stopped.code, Code::Maintenance);
        assert_eq!(
            (stopped.code.status(), stopped.retry_after()),
            (503, Some(90))
        );
    }

    #[test]
    fn an_application_that_is_not_there_is_a_matter_of_the_deployment() {
        for (status, code) in [(404, "PGRST202"), (406, "PGRST106")] {
            let absent = problem(status, &format!(r#"{{"code":"{code}"}}"#));
            assert_eq!(absent.code, Code::Misconfigured, "{code}");
        }
    }

    #[test]
    fn a_bad_token_is_told_from_a_missing_right() {
        assert_eq!(
            problem(401, r#"{"code":"PGRST301"}"#).code,
            Code::TokenRefused
        );
        assert_eq!(problem(401, r#"{"code":"42501"}"#).code, Code::TokenMissing);
        assert_eq!(problem(403, r#"{"code":"42501"}"#).code, Code::Forbidden);
    }

    #[test]
    fn what_the_gateway_refuses_for_a_moment_is_503_and_may_be_tried_again() {
        for (status, code) in [
            (429, "GWT429"),
            (503, "57014"),
            (503, "40P01"),
            (503, "25006"),
            (503, "55P03"),
            (503, "0A000"),
            // As PostgREST has them.
            (500, "40P01"),
            (500, "40001"),
            (500, "55P03"),
            (500, "57014"),
            (405, "25006"),
            (503, "GWT503"),
            (504, "GWT504"),
        ] {
            let body = format!(r#"{{"code":"{code}","message":"m"}}"#);
            let refused = RpcError::refused(status, body.as_bytes());
            assert!(refused.is_passing(), "{code}");
            let told: Problem = refused.into();
            assert_eq!(
                (told.code.status(), told.retry_after()),
                (503, Some(5)),
                "{code}"
            );
        }
    }

    #[test]
    fn a_front_that_answers_in_html_counts_as_unavailable_when_it_says_5xx() {
        assert_eq!(problem(502, "<html>").code, Code::DatabaseUnavailable);
        assert_eq!(problem(500, "<html>").code, Code::Internal);
    }
}
