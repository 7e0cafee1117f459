//! One connection: its client, what it has prepared, and how to interrupt it.

use std::time::Duration;

use tokio_postgres::{CancelToken, Client, Config, NoTls};

use super::statement::Prepared;

/// How often a cancel is sent again while the server does not give up.
const CANCEL_EVERY: Duration = Duration::from_millis(300);
/// After so many the connection is closed instead.
const CANCEL_TRIES: usize = 10;

pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) prepared: Prepared,
    cancel: CancelToken,
    tls: bool,
}

impl Connection {
    pub(super) async fn open(config: &Config) -> Result<Self, crate::database::Error> {
        let (client, _messages) = crate::database::connect(config).await?;
        Ok(Self {
            cancel: client.cancel_token(),
            client,
            prepared: Prepared::default(),
            tls: crate::database::wants_tls(config),
        })
    }

    /// Interrupts whatever runs and rolls back. True when the connection is as good as new.
    ///
    /// A cancel that arrives between two statements is lost, so it is sent until the rollback,
    /// which waits behind everything sent before, has been answered. Cancelling over a connection of its
    /// own that ends before the next step, it cannot hit a later request's query: any signal
    /// still on its way meets the rollback, and then we close.
    pub(super) async fn interrupt(&self) -> bool {
        let rollback = self.client.batch_execute("rollback");
        tokio::pin!(rollback);
        for _ in 0..CANCEL_TRIES {
            tokio::select! {
                biased;
                result = &mut rollback => return result.is_ok(),
                () = self.send_cancel() => {}
            }
            if let Ok(result) = tokio::time::timeout(CANCEL_EVERY, &mut rollback).await {
                return result.is_ok();
            }
        }
        false
    }

    async fn send_cancel(&self) {
        let sent = if self.tls {
            match crate::database::tls() {
                Ok(tls) => self.cancel.cancel_query(tls).await,
                Err(error) => {
                    tracing::warn!(%error, "a query cannot be cancelled");
                    return;
                }
            }
        } else {
            self.cancel.cancel_query(NoTls).await
        };
        if let Err(error) = sent {
            // Postgres may be going down; the rollback's own answer decides.
            tracing::debug!(%error, "a cancel could not be sent");
        }
    }
}
