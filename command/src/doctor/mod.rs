//! `gristmill doctor`: looks at a deployment and says how to mend what is not sound. It changes nothing.

mod checks;
mod damage;
mod functions;
mod tools;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use checks::{CHECKS, WRITING};
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
    #[error("{0} of {1} checks found a problem")]
    Unsound(usize, usize),
}

struct Finding {
    name: &'static str,
    details: Vec<Detail>,
    /// What to do about each detail that does not say it itself.
    mend: &'static str,
}

struct Detail {
    what: String,
    /// SQL or a command for this alone.
    mend: Option<String>,
}

impl From<String> for Detail {
    fn from(what: String) -> Self {
        Self { what, mend: None }
    }
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill doctor")?;
    let (mut client, _) = database::connect_session(&config).await?;
    println!("{}{}", database::host(&config), protection(&config));

    let mut findings = vec![
        schema(&mut client).await,
        damage::find(&client).await,
        clock(&client).await,
    ];
    for check in CHECKS {
        let details = match client.query(check.query, &[]).await {
            Ok(rows) => rows
                .iter()
                .map(|row| Detail::from(row.get::<_, String>(0)))
                .collect(),
            Err(error) => vec![not_looked_at(&error)],
        };
        findings.push(Finding {
            name: check.name,
            details,
            mend: check.mend,
        });
    }
    if !args.offline {
        findings.push(functions::answer(&client).await);
        findings.push(functions::believe(&client).await);
    }
    if args.worker {
        findings.push(tools::look());
        #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
        findings.push(tools::confinement().await);
        findings.push(tools::scanner().await);
    }
    if findings
        .iter()
        .any(|finding| finding.name == WRITING && !finding.details.is_empty())
    {
        findings.iter_mut().for_each(wait_for_writing);
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
        Ok(pending) => pending.into_iter().map(Detail::from).collect(),
        Err(error) => vec![error.to_string().into()],
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
                vec![format!("the database's is {off:+.0} s off this machine's").into()]
            } else {
                Vec::new()
            }
        }
        Err(error) => vec![not_looked_at(&error)],
    };
    Finding {
        name: "clock",
        details,
        mend: "Let both machines keep time by NTP: signed invocations are refused when clocks are 5 minutes apart",
    }
}

/// Nothing else can be mended while nothing can be written, and much of it may come from that: schedules do not run then.
fn wait_for_writing(finding: &mut Finding) {
    if finding.name != WRITING {
        finding.mend = "First let the database be written to: see writing";
        for detail in &mut finding.details {
            detail.mend = None;
        }
    }
}

fn not_looked_at(error: &tokio_postgres::Error) -> Detail {
    let said = error.as_db_error().map_or_else(
        || error.to_string(),
        |db| format!("{} {}", db.code().code(), db.message()),
    );
    format!("could not be looked at: {said}").into()
}

fn print(finding: &Finding) {
    if finding.details.is_empty() {
        println!("  ok    {}", finding.name);
        return;
    }
    println!("  WRONG {}", finding.name);
    for detail in &finding.details {
        println!("          {}", detail.what);
        if let Some(mend) = &detail.mend {
            print_mend(mend);
        }
    }
    if finding.details.iter().any(|detail| detail.mend.is_none()) {
        print_mend(finding.mend);
    }
}

/// The lines of a statement stand below each other, so that it can be copied.
fn print_mend(mend: &str) {
    println!("        → {}", mend.replace('\n', "\n            "));
}
