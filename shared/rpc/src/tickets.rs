//! Tickets, which a browser shows in place of a token to read one stream of events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Rpc, RpcError};

/// A ticket for a stream of events.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Ticket {
    /// Send this in the query of the stream: `?ticket=…`.
    pub ticket: String,
    /// No connection can begin after this time, and a stream that is open at this time ends.
    #[schemars(extend("format" = "date-time"))]
    pub expires_at: String,
}

impl Rpc {
    /// From now on every call is made with a ticket: it reads what the ticket is for, and nothing else.
    pub fn with_ticket(mut self, ticket: String) -> Self {
        self.ticket = Some(ticket);
        self
    }

    /// A ticket for a function that reads events; each application names its own.
    pub(super) async fn ticket_for(
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
