//! Who serves: the relay whose session holds one advisory lock. The others stand by.
//!
//! A session's lock goes with its connection, so a killed relay's place is free as soon as the kernel
//! has closed its socket. Standing by asks once a second instead of waiting inside
//! `pg_advisory_lock`: a waiting statement would hold a snapshot and keep vacuum from cleaning.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_postgres::{AsyncMessage, Client};

use super::Error;
use gristmill_native::database::{self, Config, Messages};

/// "mill" in ASCII; the first key of every advisory lock of the relay. `net._is_served()` knows it too.
pub(super) const LOCK_SPACE: i32 = 0x6d69_6c6c;
/// Held while the schemas are created.
pub(super) const INSTALL_LOCK: i32 = 2;
/// Held by the serving relay.
const SERVING_LOCK: i32 = 1;

const STAND_BY: Duration = Duration::from_secs(1);
const NET_CHANNEL: &str = "gristmill_net";
const CRON_CHANNEL: &str = "gristmill_cron";

/// How the relay connects. Keepalives find a peer that vanished without a word.
pub(super) fn config(url: &str) -> Result<Config, database::Error> {
    let mut config = database::config(url, "gristmill relay")?;
    config
        .keepalives(true)
        .keepalives_idle(Duration::from_secs(10))
        .connect_timeout(Duration::from_secs(5));
    Ok(config)
}

/// The right to serve, for as long as the connection lives.
pub(super) struct Leader {
    // Never read, but dropping it closes the connection and gives the lock away.
    _client: Client,
    messages: Messages,
    net: Arc<Notify>,
    cron: Arc<Notify>,
}

impl Leader {
    /// Waits until no other relay serves, then listens for both schemas' notifications.
    pub(super) async fn elect(config: &Config) -> Result<Self, Error> {
        let (client, messages) = database::connect(config).await?;
        // The server's side of the same keepalives: a relay whose machine vanished frees its lock.
        client
            .batch_execute("set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3")
            .await?;
        let mut told = false;
        while !try_lock(&client).await? {
            if !told {
                tracing::info!("another relay serves this database; standing by");
                told = true;
            }
            tokio::time::sleep(STAND_BY).await;
        }
        client
            .batch_execute(&format!("listen {NET_CHANNEL}; listen {CRON_CHANNEL}"))
            .await?;
        Ok(Self {
            _client: client,
            messages,
            net: Arc::new(Notify::new()),
            cron: Arc::new(Notify::new()),
        })
    }

    /// Rings when something was queued to send.
    pub(super) fn net_wake(&self) -> Arc<Notify> {
        Arc::clone(&self.net)
    }

    /// Rings when a job was planned, changed or removed.
    pub(super) fn cron_wake(&self) -> Arc<Notify> {
        Arc::clone(&self.cron)
    }

    /// Passes notifications on. `Ok` is a request to start over.
    pub(super) async fn listen(&mut self) -> Result<(), Error> {
        while let Some(message) = self.messages.recv().await {
            let AsyncMessage::Notification(notification) = message else {
                continue;
            };
            match (notification.channel(), notification.payload()) {
                (NET_CHANNEL, "restart") => return Ok(()),
                (NET_CHANNEL, _) => self.net.notify_one(),
                (CRON_CHANNEL, _) => self.cron.notify_one(),
                _ => {}
            }
        }
        Err(Error::Lost)
    }
}

async fn try_lock(client: &Client) -> Result<bool, Error> {
    let row = client
        .query_one(
            "select pg_try_advisory_lock($1, $2)",
            &[&LOCK_SPACE, &SERVING_LOCK],
        )
        .await?;
    Ok(row.try_get(0)?)
}
