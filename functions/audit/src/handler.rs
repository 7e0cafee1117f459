//! Take apart, ask Postgres, answer.

use gristmill_core::Problem;
use gristmill_edge::{Call, Config, Reply};

use crate::domain::{Appended, NewEvent, Range};

pub(crate) async fn append(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let event: NewEvent = call.json().await?;
    let id = rpc
        .log_audit_event(&event.checked(&call.correlation_id)?)
        .await?;
    Reply::json(201, &Appended { id })
}

pub(crate) async fn verify(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let range = call.read_query::<Range>()?.checked()?;
    let verdict = rpc
        .verify_audit_log(range.from, range.to, range.known_head)
        .await?;
    Reply::json(200, &verdict)
}
