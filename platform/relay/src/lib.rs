//! `gristmill relay`: serves the schemas `net` and `cron` where pg_net and pg_cron are absent.
//!
//! One relay at a time serves a database (`leader`); further ones stand by. `install` brings the two
//! schemas, `net` sends what was queued, `cron` runs what is due. docs/relay.md says what holds when
//! any of them dies.

mod cron;
mod install;
mod leader;
mod net;
mod settings;

use std::time::Duration;

use gristmill_native::database::{self, Config};
use gristmill_native::shutdown;

pub use settings::Args;

/// How long a lost connection is left alone before the next try.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// Why the relay ended, or could not begin.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No connection to Postgres.
    #[error(transparent)]
    Connect(#[from] database::Error),
    /// The schemas could not be created.
    #[error(
        "schemas net and cron could not be installed; the role needs the right to create schemas"
    )]
    Install(#[source] tokio_postgres::Error),
    /// The engine's own schedules could not be planned.
    #[error("mill.install_schedules() failed")]
    Schedules(#[source] tokio_postgres::Error),
    /// A flag's value is not what Postgres takes for an interval.
    #[error("{flag} is not an interval as Postgres writes it, such as '6 hours'")]
    Interval {
        /// The flag.
        flag: &'static str,
        /// What Postgres said.
        #[source]
        source: tokio_postgres::Error,
    },
    /// The HTTP client could not be set up.
    #[error("the HTTP client could not be set up")]
    Http(#[from] rustls::Error),
    /// A statement failed or its connection went away; the relay starts over.
    #[error("Postgres refused a statement of the relay")]
    Query(#[from] tokio_postgres::Error),
    /// The connection that holds the lock went away; the relay starts over.
    #[error("the connection to Postgres was lost")]
    Lost,
}

/// Installs the schemas, then serves them until asked to stop.
pub async fn run(args: Args) -> Result<(), Error> {
    let config = leader::config(&args.database_url)?;
    let parts = install::when_reachable(&config, &args).await?;
    if args.install_only {
        return Ok(());
    }
    if !parts.net && !parts.cron {
        // Staying up is kinder than leaving: whoever supervises the relay would start it again.
        tracing::info!("both extensions are present; nothing is left to serve");
        shutdown::requested().await;
        return Ok(());
    }
    let mut net = net::Sender::new(&args)?;
    let mut cron = cron::Scheduler::new(&args, &config);
    tokio::select! {
        never = serve_forever(&config, parts, &mut net, &mut cron) => match never? {},
        () = shutdown::requested() => {}
    }
    tracing::info!("asked to stop");
    if parts.net {
        drain(&config, &mut net, args.drain()).await;
    }
    Ok(())
}

/// Serves, and starts over whenever Postgres goes away. Requests in flight outlive a lost connection.
async fn serve_forever(
    config: &Config,
    parts: install::Parts,
    net: &mut net::Sender,
    cron: &mut cron::Scheduler,
) -> Result<std::convert::Infallible, Error> {
    loop {
        match serve(config, parts, net, cron).await {
            Ok(()) => tracing::info!("restart requested by net.worker_restart()"),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "starting over");
            }
        }
        tokio::time::sleep(RETRY_AFTER).await;
    }
}

/// One period of leadership: ends when a connection is lost or a restart is asked for.
async fn serve(
    config: &Config,
    parts: install::Parts,
    net: &mut net::Sender,
    cron: &mut cron::Scheduler,
) -> Result<(), Error> {
    let mut leader = leader::Leader::elect(config).await?;
    tracing::info!(net = parts.net, cron = parts.cron, "serving");
    let (net_wake, cron_wake) = (leader.net_wake(), leader.cron_wake());
    tokio::select! {
        ended = leader.listen() => ended,
        ended = net.serve(config, &net_wake), if parts.net => ended,
        ended = cron.serve(&cron_wake), if parts.cron => ended,
    }
}

/// Gives requests in flight a moment to be answered and recorded. What is not done by then stays in the
/// queue and is sent again by the next relay.
async fn drain(config: &Config, net: &mut net::Sender, limit: Duration) {
    match tokio::time::timeout(limit, net.drain(config)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "answers could not be recorded");
        }
        Err(_) => tracing::warn!("requests are still in flight; they will be sent again"),
    }
}
