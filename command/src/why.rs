//! `gristmill why`: one answer to "why is this job not running?".

use gristmill_native::database;
use serde::Deserialize;

/// Arguments of `gristmill why`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// The job's id, as enqueueing answered it
    pub id: uuid::Uuid,

    /// Print the whole answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// Postgres refused.
    #[error("Postgres refused to explain the job; has `gristmill migrate` been run?")]
    Postgres(#[from] tokio_postgres::Error),
    /// No such job.
    #[error(
        "there is no job {0} in this database: it never existed, or its retention is over (retention_days of its queue)"
    )]
    Unknown(uuid::Uuid),
    /// The answer is of another release.
    #[error("the answer of mill.explain_job could not be read")]
    Answer(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Explained {
    queue: String,
    kind: String,
    state: String,
    reasons: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    sentence: String,
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill why")?;
    let (client, _) = database::connect_session(&config).await?;
    let id = args.id.to_string();
    let answer: Option<String> = client
        .query_one("select mill.explain_job($1::text::uuid)::text", &[&id])
        .await?
        .get(0);
    let answer = answer.ok_or(Error::Unknown(args.id))?;
    if args.json {
        println!("{answer}");
        return Ok(());
    }
    print!("{}", page(args.id, &serde_json::from_str(&answer)?));
    Ok(())
}

fn page(id: uuid::Uuid, job: &Explained) -> String {
    let mut page = format!("{id}  {} in {}, {}\n", job.kind, job.queue, job.state);
    for reason in &job.reasons {
        page.push_str("  ");
        page.push_str(&reason.sentence);
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_job_and_has_a_line_per_reason() {
        let job = serde_json::from_str(
            r#"{"id": "x", "queue": "mail", "kind": "send", "state": "pending", "sentence": "One.",
                "reasons": [{"code": "a", "until": null, "sentence": "One."}, {"code": "b", "until": null, "sentence": "Two."}]}"#,
        )
        .unwrap();
        let id = "01a1e273-88a8-7a97-9476-25074e8fc71c".parse().unwrap();
        assert_eq!(
            page(id, &job),
            "01a1e273-88a8-7a97-9476-25074e8fc71c  send in mail, pending\n  One.\n  Two.\n"
        );
    }
}
