//! `gristmill migrate`: brings a database to the schema in `sql/`.
//!
//! Everything happens in one transaction under an advisory lock. It can be run twice, by two processes at once, or be
//! killed, and leaves either the old schema or the new one. Private functions that no file has any more go in a second
//! transaction, once the calls that may still use them have ended; what is left when it is killed before, the next run
//! removes. `choice` decides which parts there shall be, `due` which files
//! they are missing, `removal` and `upgrade` do the work, and `books` writes down what was done.

mod books;
mod catalog;
mod choice;
mod dependents;
mod due;
mod error;
mod locks;
mod manifest;
mod object;
mod place;
mod privileges;
mod removal;
mod script;
mod session;
mod statements;
mod upgrade;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use books::Books;
use choice::{Asked, Choice};
pub use error::Error;
use gristmill_native::database;
use locks::Manner;
use manifest::{BOOKS, Manifest, Source};
use object::{Kind, Object};
use place::Places;
use removal::Removal;
use session::Session;
use upgrade::{Done, Gone, Upgrade};

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long calls that began before are waited for. One that takes longer, and then uses a function that has gone, fails.
const LONGEST_CALL: Duration = Duration::from_secs(10);

/// Arguments of `gristmill migrate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// Applications to add, separated by commas: documents, refresh, exports, workflows, compat; or all
    #[arg(long, value_delimiter = ',', value_name = "APPLICATIONS")]
    pub with: Vec<String>,

    /// Applications to remove; says what would be lost unless --yes is given
    #[arg(long, value_delimiter = ',', value_name = "APPLICATIONS")]
    pub without: Vec<String>,

    /// Where the tables and functions of the applications in --with go [default: public]
    #[arg(long, value_name = "NAME")]
    pub schema: Option<String>,

    /// Remove what --without names, with its data
    #[arg(long)]
    pub yes: bool,

    /// Print the SQL that would be run on this database, and change nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Print one SQL file that installs on an empty database; needs no connection
    #[arg(long)]
    pub sql: bool,

    /// How many seconds to try again while others hold locks that are needed
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    pub patience: u64,

    /// Read manifest.txt and the SQL files from this folder instead of from the binary
    #[arg(long, env = "GRISTMILL_SQL_DIR", hide = true)]
    pub sql_dir: Option<PathBuf>,
}

/// Runs the command.
pub async fn run(args: Args) -> Result<(), Error> {
    let manifest = Manifest::load(&source(args.sql_dir.clone()))?;
    let asked = Asked {
        with: args.with.clone(),
        without: args.without.clone(),
        schema: args.schema.clone(),
    };
    if args.sql {
        if args.dry_run || !args.without.is_empty() {
            return Err(Error::SqlAlone);
        }
        let choice = choice::choose(&manifest, &BTreeMap::new(), &asked)?;
        print(&script::write(&manifest, &choice));
        return Ok(());
    }
    let url = args.database_url.as_deref().ok_or(Error::NoDatabase)?;
    let config = database::config(url, "gristmill migrate")?;
    let (mut client, _) = database::connect_session(&config).await?;
    let order = Order {
        manifest: &manifest,
        asked: &asked,
        yes: args.yes,
        dry_run: args.dry_run,
        patience: Duration::from_secs(args.patience),
    };
    let outcome = whole(&mut client, &order).await?;
    match args.dry_run {
        true => print(&outcome.script),
        false => print(&report(&database::host(&config), &outcome)),
    }
    match outcome.would_lose {
        true => Err(Error::WouldLose),
        false => Ok(()),
    }
}

fn source(folder: Option<PathBuf>) -> Source {
    folder.map_or(Source::Embedded, Source::Folder)
}

/// Who reads may have gone (`| head`); there is nobody to tell.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn count(n: impl Display, noun: &str) -> String {
    let n = n.to_string();
    let ending = if n == "1" { "" } else { "s" };
    format!("{n} {noun}{ending}")
}

/// What a run is asked to do.
struct Order<'a> {
    manifest: &'a Manifest,
    asked: &'a Asked,
    yes: bool,
    dry_run: bool,
    patience: Duration,
}

/// What a run has done.
#[derive(Debug, Default)]
struct Outcome {
    choice: Choice,
    done: Done,
    script: String,
    losses: Vec<String>,
    would_lose: bool,
}

/// The head of the script of a removal.
fn losses_as_comment(outcome: &Outcome) -> String {
    if outcome.choice.removed.is_empty() {
        return String::new();
    }
    let mut lines = vec![format!(
        "would remove: {}",
        outcome.choice.removed.join(", ")
    )];
    lines.extend(outcome.losses.iter().map(|loss| format!("  {loss}")));
    // A queue may have any name, and a line break in it would end the comment.
    let comment = |line: &String| format!("-- {}\n", line.replace(char::is_control, " "));
    lines.iter().map(comment).collect()
}

fn report(host: &str, outcome: &Outcome) -> String {
    let Outcome { choice, done, .. } = outcome;
    let list = |items: &[String]| items.join(", ");
    let mut lines = Vec::new();
    if outcome.would_lose {
        lines.push(format!("would remove: {}", list(&choice.removed)));
        lines.extend(outcome.losses.iter().map(|loss| format!("  {loss}")));
    } else {
        if !choice.removed.is_empty() {
            lines.push(format!("removed: {}", list(&choice.removed)));
            lines.extend(outcome.losses.iter().map(|loss| format!("  {loss}")));
        }
        if !choice.added.is_empty() {
            lines.push(format!("installed: {}", list(&choice.added)));
        }
        if !done.applied.is_empty() {
            lines.push(format!("{} applied", count(done.applied.len(), "file")));
            // A new part has hundreds; of an upgrade each is worth a line.
            if choice.added.is_empty() {
                lines.extend(done.applied.iter().map(|path| format!("  {path}")));
            }
        }
        let made_anew = done
            .recreated
            .iter()
            .map(|object| format!("dropped and created anew: {object}"));
        lines.extend(made_anew);
        lines.extend(
            done.dropped
                .iter()
                .map(|object| format!("removed: {object}")),
        );
    }
    if lines.is_empty() {
        return format!("{host}: up to date\n");
    }
    format!("{host}:\n  {}\n", lines.join("\n  "))
}

/// One sentence for each file that the database is missing; for `gristmill doctor`. Only reads.
pub async fn pending(client: &mut tokio_postgres::Client) -> Result<Vec<String>, Error> {
    let folder = std::env::var_os("GRISTMILL_SQL_DIR").map(PathBuf::from);
    let manifest = Manifest::load(&source(folder))?;
    let transaction = client.build_transaction().read_only(true).start().await?;
    let session = Session::new(&transaction);
    if !books::exist(&session).await? {
        return Ok(vec![
            "Gristmill is not installed in this database".to_owned(),
        ]);
    }
    let books = Books::read(&session).await?;
    let choice = choice::choose(&manifest, &books.parts, &Asked::default())?;
    let due = due::find(&manifest, &books, &choice)?;
    Ok(due
        .iter()
        .map(|due| format!("sql/{} is missing or old", due.file.path))
        .collect())
}

/// Brings the database to the new schema, and then drops what only calls that began before could still use.
async fn whole(client: &mut tokio_postgres::Client, order: &Order<'_>) -> Result<Outcome, Error> {
    // A rehearsal commits nothing that calls could be caught in.
    let gone = match order.dry_run {
        true => Gone::Dropped,
        false => Gone::Left,
    };
    let mut outcome = patiently(client, order, gone).await?;
    if outcome.done.has_left {
        wait_for_earlier_calls(client).await?;
        let order = Order {
            asked: &Asked::default(),
            ..*order
        };
        let rest = patiently(client, &order, Gone::Dropped).await?;
        outcome.done.dropped.extend(rest.done.dropped);
    }
    Ok(outcome)
}

/// Waits for the transactions of this database that are open now.
async fn wait_for_earlier_calls(client: &tokio_postgres::Client) -> Result<(), Error> {
    let begun = Instant::now();
    let rows = client
        .query(
            "select l.virtualxid from pg_locks l join pg_stat_activity a on a.pid = l.pid
             where l.locktype = 'virtualxid' and l.granted and l.pid <> pg_backend_pid() and a.datname = current_database()",
            &[],
        )
        .await?;
    let earlier: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let is_open = "select from pg_locks l where l.locktype = 'virtualxid' and l.granted and l.virtualxid = any ($1) limit 1";
    while begun.elapsed() < LONGEST_CALL && !client.query(is_open, &[&earlier]).await?.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Tries again while others are in the way.
async fn patiently(
    client: &mut tokio_postgres::Client,
    order: &Order<'_>,
    gone: Gone,
) -> Result<Outcome, Error> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(100);
    let mut manner = Manner::default();
    loop {
        let error = match attempt(client, order, &manner, gone).await {
            Ok(outcome) => return Ok(outcome),
            Err(error) if error.is_passing() => error,
            Err(error) => return Err(error),
        };
        if begun.elapsed() + pause > order.patience {
            return Err(error.after(begun.elapsed().as_secs()));
        }
        if manner.failed == 2 {
            tracing::warn!(%error, "others hold locks that the migration needs; it is tried again, up to --patience");
        }
        manner.learn(&error);
        // Jitter from the clock is enough: two migrations at once are kept apart by the advisory lock.
        let jitter = f64::from(begun.elapsed().subsec_micros() % 1000) / 1000.0;
        tokio::time::sleep(pause.mul_f64(0.5 + jitter)).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn attempt(
    client: &mut tokio_postgres::Client,
    order: &Order<'_>,
    manner: &Manner,
    gone: Gone,
) -> Result<Outcome, Error> {
    let transaction = client.transaction().await?;
    let mut session = Session::new(&transaction);
    // Another migration may take its time; users do not wait for this lock.
    session
        .quietly(&format!(
            "{}set local lock_timeout = '60s'; select pg_advisory_xact_lock(7022311640271841)",
            script::SETTINGS
        ))
        .await?;
    let mut outcome = work(&mut session, order, manner, gone).await?;
    outcome.script = format!(
        "{}begin;\n{}{}commit;\n",
        losses_as_comment(&outcome),
        script::SETTINGS,
        session.into_script()
    );
    if order.dry_run || outcome.would_lose {
        transaction.rollback().await?;
    } else {
        transaction.commit().await?;
    }
    Ok(outcome)
}

async fn work(
    session: &mut Session<'_>,
    order: &Order<'_>,
    manner: &Manner,
    gone: Gone,
) -> Result<Outcome, Error> {
    if !books::exist(session).await? {
        session.note("the books");
        session.run(BOOKS).await?;
    }
    let mut books = Books::read(session).await?;
    let choice = choice::choose(order.manifest, &books.parts, order.asked)?;
    let due = due::find(order.manifest, &books, &choice)?;
    let mut outcome = Outcome::default();
    let is_change = !due.is_empty() || !choice.removed.is_empty() || gone == Gone::Dropped;
    if is_change {
        session.note("what is there");
        session.run(script::NOTE_CATALOG).await?;
    }
    if !choice.removed.is_empty() {
        let removal = Removal::new(order.manifest, &books, &choice);
        outcome.losses = removal.losses(session).await?;
        if !order.yes && !order.dry_run {
            outcome.would_lose = true;
            outcome.choice = choice;
            return Ok(outcome);
        }
        removal.run(session, &mut books, &choice, manner).await?;
    }
    write_parts(session, order.manifest, &books, &choice).await?;
    let schemas = choice
        .parts
        .iter()
        .map(|(name, part)| (name.as_str(), part.schema.as_str()));
    let places = Places::new(order.manifest, schemas);
    outcome.done = Upgrade::new(session, &mut books, &places, order.manifest, &choice)
        .run(&due, manner, gone)
        .await?;
    for schema in new_schemas(&books, &choice) {
        session.run(&books::grant_schema(&schema)).await?;
    }
    session.note("extensions, schedules and the schema cache");
    session.run(script::ENABLE_EXTENSIONS).await?;
    session.run(script::FINISH).await?;
    outcome.choice = choice;
    Ok(outcome)
}

/// Schemas of parts that are new, other than `public`.
fn new_schemas(books: &Books, choice: &Choice) -> Vec<String> {
    let mut schemas: Vec<_> = choice
        .parts
        .iter()
        .filter(|(name, part)| !books.parts.contains_key(*name) && part.schema != "public")
        .map(|(_, part)| part.schema.clone())
        .collect();
    schemas.sort();
    schemas.dedup();
    schemas
}

async fn write_parts(
    session: &mut Session<'_>,
    manifest: &Manifest,
    books: &Books,
    choice: &Choice,
) -> Result<(), Error> {
    let mut sql = String::new();
    for schema in new_schemas(books, choice) {
        let is_there =
            catalog::exists(session, &Object::new(Kind::Schema, schema.as_str())).await?;
        sql.push_str(&books::open_schema(&schema, !is_there));
    }
    for part in &manifest.parts {
        let Some(chosen) = choice.parts.get(&part.name) else {
            continue;
        };
        if books.parts.get(&part.name) != Some(chosen) {
            sql.push_str(&books::record_part(&part.name, chosen));
        }
    }
    if !sql.is_empty() {
        session.note("the parts");
        session.run(&sql).await?;
    }
    Ok(())
}
