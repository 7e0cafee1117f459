//! The calls about the audit log.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Rpc, RpcError};

/// One event, with the compatible names of its arguments.
#[derive(Debug, Serialize)]
pub struct AuditEvent {
    /// The table, or other kind of record, that changed.
    #[serde(rename = "p_table_name")]
    pub table_name: String,
    /// The id of the changed record.
    #[serde(rename = "p_record_id")]
    pub record_id: Option<String>,
    /// What was done to the record.
    #[serde(rename = "p_action")]
    pub action: String,
    /// The values before the change.
    #[serde(rename = "p_old_values")]
    pub old_values: Option<Map<String, Value>>,
    /// The values after the change.
    #[serde(rename = "p_new_values")]
    pub new_values: Option<Map<String, Value>>,
    /// Why it was done.
    #[serde(rename = "p_reason")]
    pub reason: Option<String>,
    /// The program that reports the event.
    #[serde(rename = "p_source")]
    pub source: Option<String>,
    /// The patient whose record it is.
    #[serde(rename = "p_patient_id")]
    pub patient_id: Option<Uuid>,
    /// The job that made the change.
    #[serde(rename = "p_job_id")]
    pub job_id: Option<Uuid>,
    /// The correlation id of the request.
    #[serde(rename = "p_correlation_id")]
    pub correlation_id: String,
}

/// The result of a verification.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditVerdict {
    /// True when every checked row fits the chain.
    pub ok: bool,
    /// How many days were checked.
    pub days: i64,
    /// How many rows were checked.
    pub rows: i64,
    /// The rows and days that do not fit the chain.
    pub findings: Vec<AuditFinding>,
    /// The last link of the chain. Keep it outside of the database, and send it as known_head later.
    pub head: Option<String>,
}

/// One row or day that does not fit the chain.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditFinding {
    /// The day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<NaiveDate>,
    /// The number of the link within that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The id of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<i64>,
    /// What is wrong, as one word.
    pub problem: String,
}

impl Rpc {
    /// Appends an event; answers its id.
    pub async fn log_audit_event(&self, event: &AuditEvent) -> Result<i64, RpcError> {
        self.create("log_audit_event", event).await
    }

    /// Checks the chain from one day to another.
    pub async fn verify_audit_log(
        &self,
        from: Option<NaiveDate>,
        to: Option<NaiveDate>,
        known_head: Option<String>,
    ) -> Result<AuditVerdict, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_from: Option<NaiveDate>,
            p_to: Option<NaiveDate>,
            p_known_head: Option<String>,
        }
        let arguments = Arguments {
            p_from: from,
            p_to: to,
            p_known_head: known_head,
        };
        self.call("verify_audit_log", &arguments).await
    }
}
