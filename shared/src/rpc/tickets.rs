//! Tickets, which a browser shows in place of a token to read one stream of events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Rpc, RpcError};
use crate::job::JobId;

/// A ticket for a stream of events.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Ticket {
    /// What goes into the query of the stream: `?ticket=…`.
    pub ticket: String,
    /// Until then a connection may begin. A stream that runs then ends.
    #[schemars(extend("format" = "date-time"))]
    pub expires_at: String,
}

impl Rpc {
    /// From now on every call is made with a ticket: it reads what the ticket is for, and nothing else.
    pub fn with_ticket(mut self, ticket: String) -> Self {
        self.ticket = Some(ticket);
        self
    }

    /// A ticket for [`Rpc::export_events`] and [`Rpc::get_export`]; none for what is not the caller's.
    pub async fn export_ticket(&self, id: JobId) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("export_events", json!({ "p_id": id }))
            .await
    }

    /// A ticket for `export_batch_events`.
    pub async fn export_batch_ticket(&self, id: Uuid) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("export_batch_events", json!({ "p_id": id }))
            .await
    }

    /// A ticket for [`Rpc::document_events`].
    pub async fn document_ticket(&self, id: Uuid) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("document_events", json!({ "p_id": id }))
            .await
    }

    /// A ticket for `workflow_events`.
    pub async fn workflow_ticket(&self, id: JobId) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("workflow_events", json!({ "p_id": id }))
            .await
    }

    /// A ticket for `get_data_changes`.
    pub async fn data_ticket(&self) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("get_data_changes", json!({})).await
    }

    async fn ticket_for(
        &self,
        function: &'static str,
        arguments: Value,
    ) -> Result<Option<Ticket>, RpcError> {
        #[derive(Serialize)]
        struct Arguments {
            p_function: &'static str,
            p_arguments: Value,
        }
        let arguments = Arguments {
            p_function: function,
            p_arguments: arguments,
        };
        self.call("issue_ticket", &arguments).await
    }
}
