//! Brings the schemas `net` and `cron` to a database that lacks the extensions.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::{Args, Error, leader};
use gristmill_native::database::{self, Config};

const NET: &str = include_str!("../../../sql/relay/net.sql");
const CRON: &str = include_str!("../../../sql/relay/cron.sql");
const REALTIME: &str = include_str!("../../../sql/relay/realtime.sql");

/// Which of the two schemas the relay serves; the other is a real extension's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) net: bool,
    pub(super) cron: bool,
}

/// Installs as soon as Postgres is there. A relay often starts beside its Postgres and must not die of
/// being first; `--install-only` is a step of a script and fails at once.
pub(super) async fn when_reachable(config: &Config, args: &Args) -> Result<Parts, Error> {
    loop {
        match install(config, args).await {
            Err(error) if !args.install_only && is_passing(&error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "Postgres is not ready; trying again");
                tokio::time::sleep(super::RETRY_AFTER).await;
            }
            outcome => return outcome,
        }
    }
}

/// True when waiting can cure it: nobody listens, or the server starts, stops or is full.
fn is_passing(error: &Error) -> bool {
    let source = match error {
        Error::Connect(database::Error::Silent { .. }) => return true,
        Error::Connect(database::Error::Connect { source, .. })
        | Error::Install(source)
        | Error::Query(source) => source,
        _ => return false,
    };
    match source.code() {
        None => true,
        Some(code) => [
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::LOCK_NOT_AVAILABLE,
        ]
        .contains(code),
    }
}

async fn install(config: &Config, args: &Args) -> Result<Parts, Error> {
    let (mut client, _messages) = database::connect_session(config).await?;
    check_interval(&client, "--response-ttl", &args.response_ttl).await?;
    check_interval(&client, "--run-history", &args.run_history).await?;
    let parts = create(&mut client, args.realtime)
        .await
        .map_err(Error::Install)?;
    match plan_engine(&client).await.map_err(Error::Schedules) {
        // A broken engine must not keep the relay from serving everyone else.
        Err(error) if !args.install_only => {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, "the engine's schedules are not planned");
        }
        outcome => outcome?,
    }
    Ok(parts)
}

/// One transaction under a lock, so that two relays starting at once do not collide.
async fn create(client: &mut Client, realtime: bool) -> Result<Parts, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction
        .batch_execute(&format!(
            "set local lock_timeout = '10s'; set local client_min_messages = warning; \
             select pg_advisory_xact_lock({}, {})",
            leader::LOCK_SPACE,
            leader::INSTALL_LOCK
        ))
        .await?;
    let row = transaction
        .query_one(
            // Preloaded for this database counts as present: `gristmill migrate` will create the
            // extension, and a schema of ours would be in its way.
            "select not exists (select from pg_extension where extname = 'pg_net')
                and current_setting('pg_net.database_name', true) is distinct from current_database(),
                    not exists (select from pg_extension where extname = 'pg_cron')
                and current_setting('cron.database_name', true) is distinct from current_database()",
            &[],
        )
        .await?;
    let parts = Parts {
        net: row.try_get(0)?,
        cron: row.try_get(1)?,
    };
    for (absent, extension, schema) in [(parts.net, "pg_net", NET), (parts.cron, "pg_cron", CRON)] {
        if absent {
            transaction.batch_execute(schema).await?;
        } else {
            tracing::info!(extension, "the extension is present; the relay stands back");
        }
    }
    if realtime {
        transaction.batch_execute(REALTIME).await?;
    }
    transaction.commit().await?;
    Ok(parts)
}

/// Lets the engine plan its own jobs, now that cron.schedule exists. It may not be installed yet.
async fn plan_engine(client: &Client) -> Result<(), tokio_postgres::Error> {
    let row = client
        .query_one(
            "select to_regprocedure('mill.install_schedules()') is not null",
            &[],
        )
        .await?;
    if row.try_get(0)? {
        client
            .batch_execute("select mill.install_schedules()")
            .await?;
    }
    Ok(())
}

async fn check_interval(client: &Client, flag: &'static str, value: &str) -> Result<(), Error> {
    client
        .query_one("select $1::text::interval::text", &[&value])
        .await
        .map(drop)
        .map_err(|source| match source.code() {
            Some(_) => Error::Interval { flag, source },
            None => Error::Query(source),
        })
}
