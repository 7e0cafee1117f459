//! Take apart, ask Postgres, answer.

use gristmill_core::{Code, Problem};
use gristmill_edge::{Call, Config, Reply};

use crate::domain::Asked;

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let asked: Asked = call.read_query()?;
    let profile = match asked.profile_id {
        Some(profile) => profile,
        None => rpc.default_profile().await?,
    };
    let status = rpc.get_user_usage_status(profile).await?.ok_or_else(|| {
        Problem::new(
            Code::NotFound,
            "There is no such profile, or it is not yours.",
        )
    })?;
    Reply::json(200, &status)
}
