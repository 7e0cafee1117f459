//! `gristmill doctor`: looks at a deployment and says how to mend what is not sound. It changes nothing.

mod checks;
mod functions;
mod tools;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use checks::CHECKS;
use gristmill_migrate as migrate;
use gristmill_native::database;

/// Past this a signature is stale for some functions already.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(30);

/// Arguments of `gristmill doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Leave out what needs a request to the functions
    #[arg(long)]
    pub offline: bool,
    /// Also look for the programs and the virus scanner that `gristmill work` calls
    #[arg(long)]
    pub worker: bool,
}

/// Why the examination has a bad end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// Something is not sound; it has been said.
    #[error("{0} of {1} checks found something")]
    Unsound(usize, usize),
}

struct Finding {
    name: &'static str,
    details: Vec<String>,
    mend: &'static str,
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill doctor")?;
    let (mut client, _) = database::connect_session(&config).await?;
    println!("{}{}", database::host(&config), protection(&config));

    let mut findings = vec![schema(&mut client).await, clock(&client).await];
    for check in CHECKS {
        let details = match client.query(check.query, &[]).await {
            Ok(rows) => rows.iter().map(|row| row.get(0)).collect(),
            Err(error) => vec![format!("could not be looked at: {}", said(&error))],
        };
        findings.push(Finding {
            name: check.name,
            details,
            mend: check.mend,
        });
    }
    if !args.offline {
        findings.push(functions::answer(&client).await);
    }
    if args.worker {
        findings.push(tools::look());
        findings.push(tools::scanner().await);
    }
    findings.iter().for_each(print);

    let unsound = findings.iter().filter(|f| !f.details.is_empty()).count();
    if unsound == 0 {
        return Ok(());
    }
    Err(Error::Unsound(unsound, findings.len()))
}

/// How the connection to the database is protected. On this machine alone, or over a socket, it needs no protection.
fn protection(config: &database::Config) -> &'static str {
    match (config.is_local(), config.is_verified(), config.tls()) {
        (true, ..) => "",
        (_, true, _) => ", with TLS, certificate checked",
        (_, _, None) => ", without TLS",
        (_, _, Some(_)) if config.must_encrypt() => {
            ", with TLS, certificate not checked (sslmode=verify-full checks it)"
        }
        _ => {
            ", with TLS if the server has it, certificate not checked (sslmode=verify-full checks it)"
        }
    }
}

async fn schema(client: &mut tokio_postgres::Client) -> Finding {
    let details = match migrate::pending(client).await {
        Ok(pending) => pending,
        Err(error) => vec![error.to_string()],
    };
    Finding {
        name: "schema",
        details,
        mend: "Run: gristmill migrate",
    }
}

// Only the database's clock counts for jobs, but signatures are judged by the functions', and leases shown by the worker's.
async fn clock(client: &tokio_postgres::Client) -> Finding {
    let details = match client.query_one("select clock_timestamp()", &[]).await {
        Ok(row) => {
            let theirs: SystemTime = row.get(0);
            let seconds = |time: SystemTime| {
                time.duration_since(UNIX_EPOCH)
                    .map_or(0.0, |since| since.as_secs_f64())
            };
            let off = seconds(theirs) - seconds(SystemTime::now());
            if off.abs() > CLOCK_TOLERANCE.as_secs_f64() {
                vec![format!("the database's is {off:+.0} s off this machine's")]
            } else {
                Vec::new()
            }
        }
        Err(error) => vec![format!("could not be looked at: {}", said(&error))],
    };
    Finding {
        name: "clock",
        details,
        mend: "Let both machines keep time by NTP: signed invocations are refused when clocks are 5 minutes apart",
    }
}

fn said(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(
        || error.to_string(),
        |db| format!("{} {}", db.code().code(), db.message()),
    )
}

fn print(finding: &Finding) {
    if finding.details.is_empty() {
        println!("  ok    {}", finding.name);
        return;
    }
    println!("  WRONG {}", finding.name);
    for detail in &finding.details {
        println!("          {detail}");
    }
    println!("        → {}", finding.mend);
}
