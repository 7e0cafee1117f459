//! Ask Postgres again and again, pass on what is new; and the count of watchers.

use gristmill_core::{Code, Problem};
use gristmill_edge::{Call, Config, Reply, sse};

pub(crate) async fn ticket(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let ticket = config.rpc_for(&call.token()?)?.data_ticket().await?;
    let refused = || Problem::new(Code::NotFound, "There is nothing to read.");
    Reply::json(200, &ticket.ok_or_else(refused)?)
}

pub(crate) async fn count(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    Reply::json(200, &rpc.refresh_analytics_from_presence_v2().await?)
}

pub(crate) async fn changes(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for_reader(call)?;
    sse::reply(call, config, async move |after| {
        Ok(rpc.get_data_changes(after).await?)
    })
    .await
}
