//! A batch of refreshes: one RPC claims it with all it needs, one writes and settles it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use gristmill::{Batch, CallError, Invocation, Report, Running, time};
use gristmill_edge::Config;
use gristmill_refresh::{Provider, Providers, RefreshSettlement, TypeRow, run};
use gristmill_rpc::Rpc;
use worker::Env;
use worker::send::SendFuture;

use crate::transport::Fetch;

/// Queues of this name, or of one that begins with it and a hyphen, hold refreshes.
const QUEUE: &str = "refresh";

const FMP: &str = "https://financialmodelingprep.com";

/// Serves the queues of refreshes.
pub(crate) struct Refreshes {
    rpc: Rpc,
    env: Env,
}

impl Refreshes {
    pub(crate) fn new(rpc: Rpc, env: Env) -> Self {
        Self { rpc, env }
    }

    async fn batch(&self, asked: &Invocation, worker: &str) -> Result<Report, CallError> {
        let config: Config = self.env.clone().into();
        let begun = worker::Date::now().as_millis();
        let elapsed =
            || Duration::from_millis(worker::Date::now().as_millis().saturating_sub(begun));
        let claimed = self
            .rpc
            .claim_refresh(worker, &asked.queue, asked.batch, Some(asked.invocation))
            .await?;
        if claimed.jobs.is_empty() {
            return Ok(Report::default());
        }
        let providers = providers(&config, &claimed.types);
        let count = claimed.jobs.len();
        let no_pauses = BTreeMap::new();
        let settled_early = RefCell::new(Vec::new());
        // The invocation goes on: only the last call ends it.
        let early = async |settled: &[RefreshSettlement]| {
            let settled = self.rpc.settle_refresh(worker, settled, None, &no_pauses);
            match settled.await {
                Ok(settled) => {
                    settled_early.borrow_mut().extend(settled);
                    true
                }
                Err(_) => false,
            }
        };
        let (types, jobs) = (&claimed.types, claimed.jobs);
        let done = run(jobs, types, &providers, &Fetch, elapsed, early).await;
        // Work is done and only its record is missing: worth a few tries. Settling twice changes nothing.
        let mut pauses = [100, 400, 1600].into_iter();
        loop {
            let settled = self.rpc.settle_refresh(
                worker,
                &done.settlements,
                Some(asked.invocation),
                &done.pauses,
            );
            match (settled.await, pauses.next()) {
                (Err(error), Some(pause)) if error.is_passing() => {
                    time::sleep(Duration::from_millis(pause)).await;
                }
                (settled, _) => {
                    let mut all = settled_early.into_inner();
                    all.extend(settled?);
                    return Ok(Report::of(count, &all));
                }
            }
        }
    }
}

impl Batch for Refreshes {
    fn serves(&self, queue: &str) -> bool {
        serves(queue)
    }

    fn serve<'a>(
        &'a self,
        invocation: &'a Invocation,
        worker: &'a str,
    ) -> Running<'a, Result<Report, CallError>> {
        Box::pin(SendFuture::new(self.batch(invocation, worker)))
    }
}

fn serves(queue: &str) -> bool {
    queue
        .strip_prefix(QUEUE)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
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
