//! The calls about usage and plans.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Rpc, RpcError};

/// One thing that is counted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Meter {
    /// This month.
    pub used: f64,
    /// What the plan allows; none is unlimited.
    pub limit: Option<f64>,
    /// Of the limit.
    pub percent: Option<f64>,
    /// Whether it is past the limit.
    pub is_over: bool,
}

/// What a profile has used this month beside its plan.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct UsageStatus {
    /// Whose.
    pub profile_id: Uuid,
    /// The plan's name.
    pub plan: String,
    /// What it costs a month.
    pub price_cents: Option<i64>,
    /// As 2030-01.
    pub month: String,
    /// When counting starts over.
    pub resets_at: DateTime<Utc>,
    /// By what is counted.
    pub meters: BTreeMap<String, Meter>,
    /// Seconds of model calls.
    pub ai_seconds: f64,
    /// Meters that are over.
    pub over: Vec<String>,
    /// Whether being over has consequences.
    pub billing_enabled: bool,
    /// Whether it has them now.
    pub is_blocked: bool,
    /// Whether to suggest a larger plan.
    pub upgrade_prompt: bool,
}

/// What a profile has used, where that is counted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ProfileUsage {
    /// It is counted.
    Counted(Box<UsageStatus>),
    /// The operator has turned counting off.
    NotCounted {
        /// Always true.
        tracking_disabled: bool,
    },
}

impl Rpc {
    /// The caller's own profile, made at the first call.
    pub async fn default_profile(&self) -> Result<Uuid, RpcError> {
        self.documents()
            .call("default_profile", &serde_json::json!({}))
            .await
    }

    /// What a profile has used; none when there is no such profile for the caller.
    pub async fn get_user_usage_status(
        &self,
        profile: Uuid,
    ) -> Result<Option<ProfileUsage>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_profile_id: Uuid,
        }
        let arguments = Arguments {
            p_profile_id: profile,
        };
        self.documents()
            .call("get_user_usage_status", &arguments)
            .await
    }
}
