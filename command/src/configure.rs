//! `gristmill configure`: tells a database where its functions and its worker are, and how to sign for them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use gristmill_native::database;

/// Arguments of `gristmill configure`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Where functions are served, e.g. https://PROJECT.supabase.co/functions/v1
    #[arg(long)]
    pub functions_url: Option<String>,

    /// Where Postgres reaches the container worker's --listen, e.g. http://worker:8080; without it the worker looks every 1 to 5 s
    #[arg(long)]
    pub worker_url: Option<String>,

    /// The key that signs invocations, as whsec_BASE64; the functions get the same as INVOKE_SECRET. Of several, separated by blanks, the first
    #[arg(long, env = "GRISTMILL_INVOKE_SECRET", hide_env_values = true)]
    pub invoke_secret: Option<String>,
}

/// Why nothing was configured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No connection.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// Postgres refused.
    #[error("Postgres refused the setting; has `gristmill migrate` been run?")]
    Postgres(#[from] tokio_postgres::Error),
    /// The key is not in the form of Standard Webhooks.
    #[error(
        "the invoke secret must be whsec_ followed by base64; make one with: echo whsec_$(openssl rand -base64 32)"
    )]
    Secret,
    /// The URL cannot be called.
    #[error("the {0} URL must begin with http:// or https://")]
    Url(&'static str),
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<(), Error> {
    let config = database::config(&args.database_url, "gristmill configure")?;
    let (client, _) = database::connect_session(&config).await?;
    for (name, key, description, url) in [
        (
            "functions",
            "functions.base_url",
            "Where functions are served",
            &args.functions_url,
        ),
        (
            "worker",
            "worker.url",
            "Where the container worker is called when there is work",
            &args.worker_url,
        ),
    ] {
        let Some(url) = url else { continue };
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Error::Url(name));
        }
        client
            .execute(
                "insert into mill.settings (key, value, description)
                 values ($1, $2, $3)
                 on conflict (key) do update set value = excluded.value, updated_at = now()",
                &[&key, &url.trim_end_matches('/'), &description],
            )
            .await?;
    }
    if let Some(secret) = &args.invoke_secret {
        // Bound, never spliced: statement logs show $1.
        client
            .execute("select mill.set_secret('invoke', $1)", &[&key(secret)?])
            .await?;
    }
    Ok(())
}

fn key(secrets: &str) -> Result<Vec<u8>, Error> {
    let secret = secrets.split_whitespace().next().unwrap_or_default();
    let encoded = secret.strip_prefix("whsec_").ok_or(Error::Secret)?;
    STANDARD.decode(encoded).map_err(|_| Error::Secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_taken_only_in_the_form_of_standard_webhooks() {
        assert_eq!(key("whsec_aGVsbG8=").unwrap(), b"hello");
        assert_eq!(key("whsec_aGVsbG8= whsec_b2xk").unwrap(), b"hello");
        assert!(key("aGVsbG8=").is_err());
        assert!(key("whsec_not-base64").is_err());
        assert!(key(" ").is_err());
    }
}
