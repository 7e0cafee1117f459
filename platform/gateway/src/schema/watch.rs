//! Keeps the catalog current on a connection of its own, and by it knows whether Postgres is there.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio_postgres::{AsyncMessage, Client};

use super::load::load;
use crate::Gateway;
use gristmill_native::database::{self, Config, Messages};

/// Pause before the next attempt. Short and constant: a restarted Postgres must be found again
/// within seconds, and one connection attempt a pause burdens nobody.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a quiet connection is asked whether it still lives; a half-open one says nothing.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How long it may take to answer that.
const ANSWER: Duration = Duration::from_secs(2);
/// How long reading the schema may take. A server that hangs must be left, and tried again.
const READING: Duration = Duration::from_secs(20);

/// Why the schema is not followed any longer.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Postgres(#[from] tokio_postgres::Error),
    #[error("Postgres does not answer")]
    Silent,
}

/// Runs for as long as the process does; calls `ready` after each reading. Ends where nothing could ever be heard: behind a pooler.
pub(crate) async fn watch(
    gateway: &Gateway,
    config: Config,
    mut ready: impl FnMut(),
) -> database::Error {
    let mut said = false;
    let mut is_known = false;
    loop {
        let connected = match is_known {
            true => database::connect(&config).await,
            false => database::connect_session(&config).await,
        };
        match connected {
            Ok((client, messages)) => {
                said = false;
                is_known = true;
                if let Err(error) = follow(gateway, client, messages, &mut ready).await {
                    gateway.metrics.schema_load_failures.fetch_add(1, Relaxed);
                    tracing::warn!(error = %Chain(&error), "the schema cannot be followed; trying again");
                }
            }
            Err(error @ (database::Error::Pooler { .. } | database::Error::Options { .. })) => {
                return error;
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
) -> Result<(), Error> {
    // Listening first: a change made while we read is notified, and read again.
    within(READING, client.batch_execute("listen pgrst")).await?;
    loop {
        let reading = load(&mut client, gateway.settings.schemas.exposed());
        let catalog = within(READING, reading).await?;
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

async fn within<T>(
    time: Duration,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Error> {
    match tokio::time::timeout(time, work).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Error::Silent),
    }
}

/// Waits for a reload to be asked for; false once the connection is gone.
async fn notified(client: &Client, messages: &mut Messages) -> Result<bool, Error> {
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
            Err(_) => within(ANSWER, client.batch_execute("")).await?,
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
