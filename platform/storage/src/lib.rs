//! `gristmill storage`: the Supabase Storage API over a folder, for development, tests and small set-ups.
//!
//! [`api`] takes requests apart, [`access`] asks who may, [`disk`] keeps the files. The client that the
//! container worker uses, against this and against the real ones, is in `gristmill-files`.

mod access;
mod api;
mod content;
mod disk;
mod links;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gristmill_native::serve;
use gristmill_token::Verifier;

/// Arguments of `gristmill storage`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Address to serve on
    #[arg(
        long,
        env = "GRISTMILL_STORAGE_LISTEN",
        default_value = "127.0.0.1:3002"
    )]
    pub listen: SocketAddr,
    /// Folder that holds the files
    #[arg(long, env = "GRISTMILL_STORAGE_FOLDER")]
    pub folder: PathBuf,
    /// Where PostgREST answers: it says what a user may reach
    #[arg(long, env = "GRISTMILL_REST_URL")]
    pub rest_url: String,
    /// Secret of HS256 tokens: the gateway's. Of several, separated by blanks, the first signs
    #[arg(long, env = "GRISTMILL_JWT_SECRET", hide_env_values = true)]
    pub jwt_secret: String,
    /// Largest object of the service, in bytes
    #[arg(long, default_value_t = 100 * 1024 * 1024)]
    pub max_object: u64,
    /// Largest object of a user, in bytes: the function documents has the same limit
    #[arg(long, env = "UPLOAD_MAX_BYTES", default_value_t = 50 * 1024 * 1024)]
    pub max_upload: u64,
}

/// Why storage could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken.
    #[error(transparent)]
    Listen(#[from] serve::ListenError),
    /// The folder cannot be used.
    #[error("the folder {folder} cannot be used")]
    Folder {
        /// The folder named.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The secret is no key.
    #[error("the JWT secret cannot be used: {0}")]
    Secret(String),
}

fn first(secrets: &str) -> &str {
    secrets.split_whitespace().next().unwrap_or_default()
}

/// Serves until asked to stop.
pub async fn run(args: Args) -> Result<(), Error> {
    let disk = disk::Disk::open(&args.folder)
        .await
        .map_err(|source| Error::Folder {
            folder: args.folder.clone(),
            source,
        })?;
    let verifier = Verifier::new(Some(&args.jwt_secret), None, None)
        .map_err(|error| Error::Secret(error.to_string()))?;
    if !verifier.has_keys() {
        return Err(Error::Secret("it is empty".to_owned()));
    }
    let storage = Arc::new(api::Api {
        disk,
        max_object: args.max_object,
        max_upload: args.max_upload,
        access: access::Access::new(verifier, args.rest_url, first(&args.jwt_secret)),
        signer: gristmill_files::link::Signer::new(&args.jwt_secret),
    });
    let listener = serve::bind(args.listen).await?;
    tracing::info!(address = %args.listen, "storage ready");
    let handle = move |request| {
        let storage = storage.clone();
        async move { storage.answer(request).await }
    };
    serve::serve(
        listener,
        handle,
        gristmill_native::shutdown::requested(),
        Duration::from_secs(10),
    )
    .await;
    Ok(())
}
