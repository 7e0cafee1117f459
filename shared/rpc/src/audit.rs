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
    /// What kind of thing changed.
    #[serde(rename = "p_table_name")]
    pub table_name: String,
    /// Which one.
    #[serde(rename = "p_record_id")]
    pub record_id: Option<String>,
    /// What was done to it.
    #[serde(rename = "p_action")]
    pub action: String,
    /// What it was.
    #[serde(rename = "p_old_values")]
    pub old_values: Option<Map<String, Value>>,
    /// What it is.
    #[serde(rename = "p_new_values")]
    pub new_values: Option<Map<String, Value>>,
    /// Why.
    #[serde(rename = "p_reason")]
    pub reason: Option<String>,
    /// Who says so.
    #[serde(rename = "p_source")]
    pub source: Option<String>,
    /// Whose record it is.
    #[serde(rename = "p_patient_id")]
    pub patient_id: Option<Uuid>,
    /// Which job did it.
    #[serde(rename = "p_job_id")]
    pub job_id: Option<Uuid>,
    /// Of the request.
    #[serde(rename = "p_correlation_id")]
    pub correlation_id: String,
}

/// What verifying found.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditVerdict {
    /// Whether nothing was found.
    pub ok: bool,
    /// Days that were checked.
    pub days: i64,
    /// Rows that were checked.
    pub rows: i64,
    /// What does not fit the chain.
    pub findings: Vec<AuditFinding>,
    /// The last link; worth keeping outside of the database.
    pub head: Option<String>,
}

/// One thing that does not fit.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditFinding {
    /// On which day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<NaiveDate>,
    /// At which link of that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// At which row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<i64>,
    /// A word for it.
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
