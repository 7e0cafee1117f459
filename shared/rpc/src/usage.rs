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
    /// How much was used this month.
    pub used: f64,
    /// What the plan allows; none is unlimited.
    pub limit: Option<f64>,
    /// How much of the limit was used, in percent.
    pub percent: Option<f64>,
    /// Whether the use is past the limit.
    pub is_over: bool,
}

/// What a profile has used this month beside its plan.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct UsageStatus {
    /// The profile.
    pub profile_id: Uuid,
    /// The plan's name.
    pub plan: String,
    /// The price of the plan per month, in cents.
    pub price_cents: Option<i64>,
    /// The month, such as 2030-01.
    pub month: String,
    /// When counting starts over.
    pub resets_at: DateTime<Utc>,
    /// The meters, by name.
    pub meters: BTreeMap<String, Meter>,
    /// How many seconds the calls of AI models took.
    pub ai_seconds: f64,
    /// The names of the meters that are past their limit.
    pub over: Vec<String>,
    /// Whether the limits of plans are enforced.
    pub billing_enabled: bool,
    /// Whether the profile is past a limit that is enforced.
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
