//! Ask Postgres, judge, answer.

use gristmill_shared::edge::{Call, Config, Reply};
use gristmill_shared::{Code, Problem};
use worker::Method;

use crate::domain::Health;

pub(crate) async fn route(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    match (call.method.clone(), call.path().as_slice()) {
        (Method::Get, []) => {
            let health = match config.service_rpc()?.health_report().await {
                Ok(report) => Health::of(&report),
                Err(error) => {
                    worker::console_error!("health: {error}");
                    Health::unreachable()
                }
            };
            Reply::json(health.status_code(), &health)
        }
        (_, []) => Err(Problem::new(Code::MethodNotAllowed, "Use GET.")),
        _ => Err(Problem::new(
            Code::NotFound,
            "There is nothing at this path.",
        )),
    }
}
