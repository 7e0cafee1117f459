//! Placeholder while the module is written.

/// Arguments of `gristmill migrate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
}

/// Runs the command until it is done or asked to stop.
pub async fn run(_args: Args) -> Result<(), crate::database::Error> {
    Ok(())
}
