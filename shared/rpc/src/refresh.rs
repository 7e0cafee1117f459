//! The calls about refreshes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Rpc, RpcError, Ticket};
use gristmill_core::event::Polled;
use gristmill_core::job::{InvocationId, Settled};
use gristmill_refresh::{RefreshJob, RefreshSettlement, TypeRow};

/// A batch with the registry rows it needs.
#[derive(Debug, Deserialize)]
pub struct ClaimedRefreshes {
    /// The leased jobs.
    pub jobs: Vec<RefreshJob>,
    /// By data type.
    pub types: BTreeMap<String, TypeRow>,
}

impl Rpc {
    /// A ticket for `get_data_changes`.
    pub async fn data_ticket(&self) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("get_data_changes", json!({})).await
    }

    /// Leases up to `max` due refreshes of a queue, with the registry rows they need.
    pub async fn claim_refresh(
        &self,
        worker: &str,
        queue: &str,
        max: u32,
        invocation: Option<InvocationId>,
    ) -> Result<ClaimedRefreshes, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_queue: &'a str,
            p_max: u32,
            p_invocation: Option<InvocationId>,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_queue: queue,
            p_max: max,
            p_invocation: invocation,
        };
        self.refresh().call("claim_refresh", &arguments).await
    }

    /// Writes what a batch fetched and settles it, in one transaction. Saying it twice is harmless.
    pub async fn settle_refresh(
        &self,
        worker: &str,
        settlements: &[RefreshSettlement],
        invocation: Option<InvocationId>,
        pauses: &BTreeMap<String, f64>,
    ) -> Result<Vec<Settled>, RpcError> {
        #[derive(Serialize)]
        struct Arguments<'a> {
            p_worker: &'a str,
            p_outcomes: &'a [RefreshSettlement],
            p_invocation: Option<InvocationId>,
            p_pauses: &'a BTreeMap<String, f64>,
        }
        let arguments = Arguments {
            p_worker: worker,
            p_outcomes: settlements,
            p_invocation: invocation,
            p_pauses: pauses,
        };
        self.refresh().call("settle_refresh", &arguments).await
    }

    /// Counts watchers by symbol and type; says how many were counted, or that another count is under way.
    pub async fn refresh_analytics_from_presence_v2(&self) -> Result<serde_json::Value, RpcError> {
        self.refresh()
            .call("refresh_analytics_from_presence_v2", &serde_json::json!({}))
            .await
    }

    /// Changes of what the token's owner watches, after an event's id.
    pub async fn get_data_changes(&self, after: u64) -> Result<Polled, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_after: u64,
        }
        self.refresh()
            .call("get_data_changes", &Arguments { p_after: after })
            .await
    }
}
