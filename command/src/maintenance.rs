//! `gristmill maintenance`: stops users' writes for a while, or lets them go on.

use gristmill_native::database;

/// Arguments of `gristmill maintenance`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// on: writing routes answer 503 while reads, health and running jobs go on; off: they write again
    pub switch: Switch,

    /// Why; callers are told, and it is in the audit log
    #[arg(long)]
    pub reason: Option<String>,

    /// After how many seconds callers should come back
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(i32).range(1..=86_400))]
    pub retry_after: i32,
}

/// Whether writing is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Switch {
    /// Writing is stopped.
    On,
    /// Writing goes on.
    Off,
}

/// Why the flag is as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// Postgres refused.
    #[error("Postgres refused to set the flag; has `gristmill migrate` been run?")]
    Postgres(#[from] tokio_postgres::Error),
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill maintenance")?;
    let (client, _) = database::connect_session(&config).await?;
    let is_on: bool = client
        .query_one(
            "select public.set_maintenance($1, $2, $3)",
            &[
                &(args.switch == Switch::On),
                &args.reason,
                &args.retry_after,
            ],
        )
        .await?
        .get(0);
    println!(
        "{}: {}",
        database::host(&config),
        if is_on {
            "maintenance is on, users cannot write"
        } else {
            "maintenance is off"
        }
    );
    Ok(())
}
