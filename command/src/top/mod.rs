//! `gristmill top`: the queues, live in a terminal; once, as plain text, for a script.
//!
//! Redraws with five escape sequences that every terminal knows. A library for terminal interfaces would bring
//! keys and widgets that a table without either does not need.

mod frame;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio_postgres::Client;

use frame::Frame;
use gristmill_native::{database, shutdown};

const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
const HOME: &str = "\x1b[H";
const CLEAR_BELOW: &str = "\x1b[J";
const CLEAR_LINE: &str = "\x1b[K";

/// Arguments of `gristmill top`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// Seconds between two looks
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    pub interval: f64,
    /// Look once and print; the default where the output is no terminal
    #[arg(long)]
    pub once: bool,
}

/// Why there was nothing to show.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// Postgres refused.
    #[error("the queues could not be read; has `gristmill migrate` been run?")]
    Postgres(#[from] tokio_postgres::Error),
    /// What Postgres answered is of another version.
    #[error(
        "the database has another version than this program; run `gristmill migrate` of this version"
    )]
    Version(#[from] serde_json::Error),
    /// The terminal went away.
    #[error("the terminal could not be written to")]
    Terminal(#[from] std::io::Error),
}

/// Runs the command until Ctrl-C.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill top")?;
    let (client, _) = database::connect_session(&config).await?;
    let mut terminal = std::io::stdout();
    if args.once || !terminal.is_terminal() {
        terminal.write_all(look(&client).await?.to_string().as_bytes())?;
        return Ok(());
    }

    terminal.write_all(ENTER.as_bytes())?;
    let ended = tokio::select! {
        ended = redraw(&client, Duration::from_secs_f64(args.interval), &mut terminal) => ended,
        () = shutdown::requested() => Ok(()),
    };
    terminal.write_all(LEAVE.as_bytes())?;
    ended
}

async fn redraw(
    client: &Client,
    interval: Duration,
    terminal: &mut impl Write,
) -> Result<(), Error> {
    let mut ticks = tokio::time::interval(interval);
    loop {
        ticks.tick().await;
        let text = look(client)
            .await?
            .to_string()
            .replace('\n', &format!("{CLEAR_LINE}\n"));
        write!(terminal, "{HOME}{text}{CLEAR_BELOW}")?;
        terminal.flush()?;
    }
}

async fn look(client: &Client) -> Result<Frame, Error> {
    let row = client
        .query_one(
            "select public.queue_stats()::text,
               to_char(mill.now() at time zone 'utc', 'HH24:MI:SS') || ' UTC',
               array(select b.target || ' is ' || b.state || ': ' || b.reason from mill.breaker b where b.state <> 'closed' order by 1)",
            &[],
        )
        .await?;
    Ok(Frame {
        queues: serde_json::from_str(row.get(0))?,
        at: row.get(1),
        breakers: row.get(2),
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds| (0.1..=3600.0).contains(seconds))
        .ok_or_else(|| "seconds between 0.1 and 3600".to_owned())
}
