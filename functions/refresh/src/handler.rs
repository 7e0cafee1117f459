//! Ask Postgres again and again, pass on what is new.

use gristmill_shared::Problem;
use gristmill_shared::edge::{Call, Config, Reply, sse};

pub(crate) async fn changes(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    sse::reply(call, config, async move |after| {
        Ok(rpc.get_data_changes(after).await?)
    })
    .await
}
