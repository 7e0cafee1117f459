//! The way to Postgres: a bounded pool, and one round trip for each request.
//!
//! The driver logs in; from then on a connection speaks the protocol itself ([`wire`]), because what a
//! request needs, several statements behind one synchronisation point, no driver offers. Measured
//! on two shared cores, it halved the processor time of a request on either side of the socket.

mod connection;
mod login;
mod pool;
mod request;
mod server_error;
mod statement;
mod transaction;
mod wire;

pub(crate) use pool::Pool;
pub(crate) use request::{Access, Isolation, Outcome, RowCheck, Transaction};
pub(crate) use server_error::ServerError;
pub(crate) use statement::{Param, Sql};
pub(crate) use transaction::run;

use super::Args;

/// How connections are opened: named, with timeouts that `RESET ALL` falls back to.
pub(crate) fn connection_config(
    args: &Args,
) -> Result<tokio_postgres::Config, crate::database::Error> {
    let mut config = crate::database::config(&args.database_url, "gristmill gateway")?;
    // A transaction of ours is never idle for longer than a row check takes, so anything that is
    // has lost its gateway.
    let mut options = format!(
        "-c statement_timeout={} -c idle_in_transaction_session_timeout=30000",
        args.statement_timeout
    );
    if let Some(given) = config.get_options() {
        options = format!("{options} {given}");
    }
    config.options(&options);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(std::time::Duration::from_secs(5));
    }
    Ok(config)
}
