//! A batch of refreshes: one RPC claims it with all it needs, one writes and settles it.

use std::collections::BTreeMap;
use std::time::Duration;

use gristmill_core::Problem;
use gristmill_edge::Config;
use gristmill_refresh::{Provider, Providers, TypeRow, run};
use gristmill_rpc::Rpc;

use crate::handler::{Invocation, Report, insist};
use crate::transport::Fetch;

/// Queues of this name, or of one that begins with it and a hyphen, hold refreshes.
const QUEUE: &str = "refresh";

const FMP: &str = "https://financialmodelingprep.com";

pub(crate) fn serves(queue: &str) -> bool {
    queue
        .strip_prefix(QUEUE)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

pub(crate) async fn batch(
    rpc: &Rpc,
    config: &Config,
    worker: &str,
    asked: &Invocation,
) -> Result<Report, Problem> {
    let begun = worker::Date::now().as_millis();
    let elapsed = || Duration::from_millis(worker::Date::now().as_millis().saturating_sub(begun));
    let claimed = rpc
        .claim_refresh(worker, &asked.queue, asked.batch, Some(asked.invocation))
        .await?;
    if claimed.jobs.is_empty() {
        return Ok(Report::default());
    }
    let providers = providers(config, &claimed.types);
    let done = run(claimed.jobs, &claimed.types, &providers, &Fetch, elapsed).await;
    let settled = insist(async || {
        rpc.settle_refresh(
            worker,
            &done.settlements,
            Some(asked.invocation),
            &done.pauses,
        )
        .await
    })
    .await?;
    Ok(Report::of(done.settlements.len(), &settled))
}

// One that is not configured, or wrongly, is left out: its jobs fail and say so, the others go on.
fn providers(config: &Config, types: &BTreeMap<String, TypeRow>) -> Providers {
    let allow_private = config.optional("ALLOW_PRIVATE_PROVIDERS").as_deref() == Some("true");
    let mut providers = Providers::new();
    for name in types.values().map(|row| &row.provider) {
        if providers.contains_key(name) {
            continue;
        }
        let binding = |what| config.optional(&format!("{}_{what}", name.to_uppercase()));
        let default = (name == "fmp").then(|| FMP.to_owned());
        let Some(base) = binding("BASE_URL").or(default) else {
            continue;
        };
        match Provider::new(name, &base, binding("API_KEY"), allow_private) {
            Ok(provider) => {
                providers.insert(name.clone(), provider);
            }
            Err(error) => worker::console_error!("{error}"),
        }
    }
    providers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_of_refreshes_is_known_by_its_name() {
        assert!(serves("refresh") && serves("refresh-financials"));
        assert!(!serves("default") && !serves("refreshments"));
    }
}
