//! The calls about providers' limits: reserve before a call, settle after it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Rpc, RpcError};

/// What `reserve_api_capacity` answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Capacity {
    /// Whether the call may be made now.
    pub granted: bool,
    /// To be given back with `settle_api_capacity`; there when granted.
    pub lease_id: Option<Uuid>,
    /// When the slot counts as lost; there when granted.
    pub expires_at: Option<DateTime<Utc>>,
    /// Which measure is full; there when not granted.
    pub reason: Option<String>,
    /// When to ask again, at the earliest.
    pub retry_after_seconds: u32,
    /// Past its threshold: what can wait should.
    #[serde(default)]
    pub backpressure: bool,
}

/// The limit that a call draws on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CallLimit {
    /// Whose it is.
    pub provider_name: String,
    /// Which of theirs.
    pub api_endpoint: String,
    /// Whether a claim from the job's queue has reserved one call of it.
    pub is_of_queue: bool,
}

impl Rpc {
    /// The limit of a model, and whether it is that of a queue; GM020 when there is none.
    pub async fn limit_of_call(
        &self,
        provider: &str,
        model: &str,
        queue: &str,
    ) -> Result<CallLimit, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_provider_name: &'a str,
            p_model: &'a str,
            p_queue: &'a str,
        }
        let arguments = Arguments {
            p_provider_name: provider,
            p_model: model,
            p_queue: queue,
        };
        self.call("limit_of_call", &arguments).await
    }

    /// Reserves one call of a provider, for work that is not a job of a queue under its limit.
    pub async fn reserve_api_capacity(
        &self,
        provider: &str,
        endpoint: &str,
        estimated_tokens: u64,
    ) -> Result<Capacity, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_provider_name: &'a str,
            p_api_endpoint: &'a str,
            p_estimated_tokens: u64,
        }
        let arguments = Arguments {
            p_provider_name: provider,
            p_api_endpoint: endpoint,
            p_estimated_tokens: estimated_tokens,
        };
        self.call("reserve_api_capacity", &arguments).await
    }

    /// Gives a slot back and settles what was really used; false when it had been settled before.
    pub async fn settle_api_capacity(
        &self,
        lease: Uuid,
        actual_tokens: u64,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_lease_id: Uuid,
            p_actual_tokens: u64,
        }
        let arguments = Arguments {
            p_lease_id: lease,
            p_actual_tokens: actual_tokens,
        };
        self.call("settle_api_capacity", &arguments).await
    }

    /// A provider answered 429: nobody is let through for its Retry-After. Answers until when.
    pub async fn report_api_rate_limit(
        &self,
        provider: &str,
        endpoint: &str,
        retry_after_seconds: Option<u32>,
    ) -> Result<DateTime<Utc>, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_provider_name: &'a str,
            p_api_endpoint: &'a str,
            p_retry_after_seconds: Option<u32>,
        }
        let arguments = Arguments {
            p_provider_name: provider,
            p_api_endpoint: endpoint,
            p_retry_after_seconds: retry_after_seconds,
        };
        self.call("report_api_rate_limit", &arguments).await
    }
}
