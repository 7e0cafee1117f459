//! What can be set about the relay.

use std::time::Duration;

/// Arguments of `gristmill relay`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE; the role must be allowed to
    /// create schemas, and be a superuser for jobs of other users
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// Install the schemas net and cron where the extensions are absent, then exit
    #[arg(long)]
    pub install_only: bool,
    /// Install the schema realtime too, for `gristmill gateway --realtime`
    #[arg(long)]
    pub realtime: bool,
    /// Requests in flight at once, over all targets
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub concurrency: u32,
    /// Requests in flight at once to one target (scheme, host and port)
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub per_host_concurrency: u32,
    /// Requests per second to one target; not limited when absent
    #[arg(long, value_parser = positive)]
    pub per_host_rate: Option<f64>,
    /// Follow redirects to private, loopback and link-local addresses also from a public one
    #[arg(long)]
    pub allow_private: bool,
    /// The longest response body that is kept
    #[arg(long, default_value_t = 1024 * 1024)]
    pub max_response_bytes: usize,
    /// How long responses stay in net._http_response, as Postgres writes intervals
    #[arg(long, default_value = "6 hours")]
    pub response_ttl: String,
    /// How long finished runs stay in cron.job_run_details, as Postgres writes intervals
    #[arg(long, default_value = "7 days")]
    pub run_history: String,
    /// Cron jobs running at once; further ones wait
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub max_running_jobs: u32,
    /// Run another user's jobs by SET SESSION AUTHORIZATION from the relay's own role. A command can undo
    /// that, so whoever may schedule jobs gains the relay's rights; without it the relay connects as the
    /// job's user, which pg_hba.conf must allow without a password
    #[arg(long)]
    pub cron_impersonate: bool,
    /// Seconds that requests in flight are given when the relay is asked to stop
    #[arg(long, default_value_t = 5)]
    pub drain_seconds: u64,
}

impl Args {
    /// How long a stop waits for requests in flight.
    pub(super) fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("expected a number above zero".to_owned()),
    }
}
