//! Keeps the catalog current on a connection of its own, and by it knows whether Postgres is there.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio_postgres::{AsyncMessage, Client, Config};

use super::load::load;
use crate::database::Messages;
use crate::gateway::Gateway;

/// Pause before the next attempt. Short and constant: a restarted Postgres must be found again
/// within seconds, and one connection attempt a pause burdens nobody.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a quiet connection is asked whether it still lives; a half-open one says nothing.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Runs for as long as the process does; calls `ready` after each reading.
pub(crate) async fn watch(gateway: &Gateway, config: Config, mut ready: impl FnMut()) {
    let mut said = false;
    loop {
        match crate::database::connect(&config).await {
            Ok((client, messages)) => {
                said = false;
                if let Err(error) = follow(gateway, client, messages, &mut ready).await {
                    gateway.metrics.schema_load_failures.fetch_add(1, Relaxed);
                    tracing::warn!(error = %Chain(&error), "the schema cannot be followed; trying again");
                }
            }
            Err(error) if !said => {
                said = true;
                tracing::warn!(error = %Chain(&error), "waiting for Postgres");
            }
            Err(_) => {}
        }
        gateway.catalog.set_ready(false);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow(
    gateway: &Gateway,
    mut client: Client,
    mut messages: Messages,
    ready: &mut impl FnMut(),
) -> Result<(), tokio_postgres::Error> {
    // Listening first: a change made while we read is notified, and read again.
    client.batch_execute("listen pgrst").await?;
    loop {
        let catalog = load(&mut client, gateway.settings.schemas.exposed()).await?;
        let functions: usize = catalog.schemas.values().map(|s| s.functions.len()).sum();
        let relations: usize = catalog.schemas.values().map(|s| s.relations.len()).sum();
        gateway.catalog.replace(catalog);
        gateway.catalog.set_ready(true);
        gateway.metrics.schema_loads.fetch_add(1, Relaxed);
        tracing::info!(relations, functions, "schema read");
        ready();
        if !notified(&client, &mut messages).await? {
            return Ok(());
        }
    }
}

/// Waits for a reload to be asked for; false once the connection is gone.
async fn notified(client: &Client, messages: &mut Messages) -> Result<bool, tokio_postgres::Error> {
    loop {
        match tokio::time::timeout(HEARTBEAT, messages.recv()).await {
            Ok(Some(AsyncMessage::Notification(notification))) => {
                if asks_for_reload(notification.payload()) {
                    // A migration notifies many times; one reading serves all that have arrived.
                    while messages.try_recv().is_ok() {}
                    return Ok(true);
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(false),
            Err(_) => {
                let alive = client.batch_execute("");
                match tokio::time::timeout(Duration::from_secs(5), alive).await {
                    Ok(result) => result?,
                    Err(_) => return Ok(false),
                }
            }
        }
    }
}

/// PostgREST's payloads; an empty one means everything. Ours has no configuration to reload.
fn asks_for_reload(payload: &str) -> bool {
    payload.is_empty() || payload == "reload schema"
}

/// An error and its causes in one line.
struct Chain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(cause) = source {
            write!(out, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::asks_for_reload;

    #[test]
    fn only_schema_payloads_reload() {
        assert!(asks_for_reload(""));
        assert!(asks_for_reload("reload schema"));
        assert!(!asks_for_reload("reload config"));
    }
}
