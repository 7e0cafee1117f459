//! Ask Postgres, judge, answer.

use gristmill_shared::Problem;
use gristmill_shared::edge::{Call, Config, Reply};

use crate::domain::Health;

pub(crate) async fn show(_call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let health = match config.service_rpc()?.health_report().await {
        Ok(report) => Health::of(&report),
        Err(error) => {
            worker::console_error!("health: {error}");
            Health::unreachable()
        }
    };
    Reply::json(health.status_code(), &health)
}
