//! What an event and a range must look like.

use chrono::NaiveDate;
use gristmill_core::{Code, Problem};
use gristmill_rpc::AuditEvent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// The body of `POST /`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEvent {
    /// The table, or other kind of record, that changed.
    #[schemars(length(min = 1, max = 200))]
    table_name: String,
    /// The id of the changed record.
    #[schemars(length(max = 200))]
    record_id: Option<String>,
    /// What was done to the record, in one short word.
    #[schemars(regex(pattern = r"^[A-Za-z][A-Za-z0-9_.-]{0,62}$"))]
    action: String,
    old_values: Option<Map<String, Value>>,
    new_values: Option<Map<String, Value>>,
    /// Why it was done.
    reason: Option<String>,
    /// The program that reports the event; `api` when absent.
    #[schemars(length(max = 200))]
    source: Option<String>,
    /// The patient whose record it is.
    patient_id: Option<Uuid>,
    /// The job that made the change.
    job_id: Option<Uuid>,
}

/// The answer to an appended event.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Appended {
    pub(crate) id: i64,
}

/// The query of `GET /verify`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    /// The first day.
    pub(crate) from: Option<NaiveDate>,
    /// The last day.
    pub(crate) to: Option<NaiveDate>,
    /// The head that an earlier verification answered. The check then fails if the log no longer has the chain that ended in that head.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub(crate) known_head: Option<String>,
}

impl NewEvent {
    pub(crate) fn checked(self, correlation_id: &str) -> Result<AuditEvent, Problem> {
        require(
            (1..=200).contains(&self.table_name.chars().count()),
            "table_name",
            "1 to 200 characters",
        )?;
        require(
            is_word(&self.action),
            "action",
            "a letter, then up to 62 letters, digits, '_', '.' and '-'",
        )?;
        for (field, text) in [("record_id", &self.record_id), ("source", &self.source)] {
            require(
                text.as_ref().is_none_or(|text| text.chars().count() <= 200),
                field,
                "at most 200 characters",
            )?;
        }
        Ok(AuditEvent {
            table_name: self.table_name,
            record_id: self.record_id,
            action: self.action,
            old_values: self.old_values,
            new_values: self.new_values,
            reason: self.reason,
            source: self.source,
            patient_id: self.patient_id,
            job_id: self.job_id,
            correlation_id: correlation_id.to_owned(),
        })
    }
}

impl Range {
    pub(crate) fn checked(self) -> Result<Self, Problem> {
        let is_head = |head: &String| {
            head.len() == 64
                && head
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        require(
            self.known_head.as_ref().is_none_or(is_head),
            "known_head",
            "64 hexadecimal digits",
        )?;
        Ok(self)
    }
}

fn is_word(text: &str) -> bool {
    let mut letters = text.bytes();
    text.len() <= 63
        && letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

fn require(holds: bool, field: &str, what: &str) -> Result<(), Problem> {
    if holds {
        return Ok(());
    }
    Err(Problem::new(Code::InvalidField, format!("The value must be {what}.")).at(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_core::json;

    fn check(body: &str) -> Result<AuditEvent, Problem> {
        json::parse::<NewEvent>(body.as_bytes())?.checked("c-1")
    }

    #[test]
    fn an_event_needs_a_table_and_an_action_that_is_a_word() {
        assert!(
            check(r#"{"table_name": "visits", "action": "update", "new_values": {"a": 1}}"#)
                .is_ok()
        );
        for (body, field) in [
            (
                r#"{"table_name": "visits", "action": "drop table"}"#,
                "action",
            ),
            (r#"{"table_name": "", "action": "update"}"#, "table_name"),
            (
                r#"{"table_name": "visits", "action": "update", "patient_id": "me"}"#,
                "patient_id",
            ),
            (
                r#"{"table_name": "visits", "action": "update", "new_values": [1]}"#,
                "new_values",
            ),
        ] {
            assert_eq!(
                check(body).unwrap_err().field.as_deref(),
                Some(field),
                "{body}"
            );
        }
    }

    #[test]
    fn a_known_head_is_a_hash() {
        let range = |query: &str| json::parse_query::<Range>(query).and_then(Range::checked);
        assert!(range(&format!("known_head={}", "ab".repeat(32))).is_ok());
        assert_eq!(
            range("known_head=abc").unwrap_err().field.as_deref(),
            Some("known_head")
        );
        assert_eq!(
            range("from=yesterday").unwrap_err().field.as_deref(),
            Some("from")
        );
    }
}
