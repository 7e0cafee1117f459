//! Tickets for streams of events: an EventSource can send no header, so its address carries `?ticket=…` instead of a token.
//!
//! The page asks for the ticket with its token, at the stream's path and `/ticket`. Postgres signs and checks it
//! (`public.issue_ticket`, `public.read_with_ticket`): it is good for one thing of one user, for a little more than a minute.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Config};
use gristmill_core::Problem;
use gristmill_rpc::Rpc;

/// The query of a stream of events.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StreamQuery {
    /// A ticket, for an EventSource, which cannot send a token. POST to the path of the stream followed by /ticket issues one.
    #[allow(dead_code, reason = "read by Call::ticket")]
    ticket: Option<String>,
    /// The same as the header Last-Event-ID, for clients that cannot set headers.
    #[allow(dead_code, reason = "read by sse")]
    last_event_id: Option<u64>,
}

impl Call {
    /// The ticket that the caller shows. A token goes before it.
    pub fn ticket(&self) -> Option<String> {
        if self.header("authorization").is_some() {
            return None;
        }
        self.query("ticket").filter(|ticket| !ticket.is_empty())
    }
}

impl Config {
    /// Postgres with the rights of the caller's token, or of a ticket to read one thing.
    pub fn rpc_for_reader(&self, call: &Call) -> Result<Rpc, Problem> {
        match call.ticket() {
            Some(ticket) => {
                let anyone = self.required("SUPABASE_ANON_KEY")?;
                Ok(self.rpc_for(&anyone)?.with_ticket(ticket))
            }
            None => self.rpc_for(&call.token()?),
        }
    }
}
