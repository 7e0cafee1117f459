//! Ask Postgres, judge, answer.

use gristmill_core::Problem;
use gristmill_edge::{Call, Config, Reply};

use crate::cron;
use crate::domain::Health;
use crate::metrics;

pub(crate) async fn show(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let health = match config.service_rpc()?.health_report().await {
        Ok(report) => Health::of(report),
        Err(error) => {
            let line = serde_json::json!({ "function": "health", "cause": error.to_string(),
                "correlation_id": call.correlation_id });
            worker::console_error!("{line}");
            Health::unreachable()
        }
    };
    let health = if call.holds(config, "HEALTH_TOKEN") {
        health
    } else {
        health.summary()
    };
    Reply::json(health.status_code(), &health)
}

pub(crate) async fn check_cron(_call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let jobs = config.service_rpc()?.cron_report().await?;
    match cron::judge(jobs) {
        Ok(healthy) => Reply::json(200, &healthy),
        Err(stale) => Reply::json(503, &stale),
    }
}

pub(crate) async fn metrics(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    call.must_hold(config, "METRICS_TOKEN")?;
    let report = config.service_rpc()?.metrics_report().await?;
    Ok(Reply::text(
        200,
        metrics::CONTENT_TYPE,
        metrics::text(&report),
    ))
}
