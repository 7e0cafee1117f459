//! `gristmill mcp`: a server of the Model Context Protocol on standard input and output, for people who work with an assistant.
//!
//! Each tool is one RPC of the console, with its bounds, its masking and its role. Without `--allow-actions` every transaction is read-only, so
//! that Postgres itself refuses a change. With it an assistant may retry, and only what it has previewed in the same words.

mod asked;
mod database;
mod doctor;
mod tools;

use rmcp::ServiceExt;
use rmcp::transport::stdio;

use database::Console;
use tools::Tools;

/// Arguments of `gristmill mcp`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Let the assistant retry jobs. Without this it only looks
    #[arg(long)]
    pub allow_actions: bool,

    /// Who answers for the assistant: an email or a name. The audit log keeps it with each action
    #[arg(long, default_value = "mcp")]
    pub actor: String,
}

/// Why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No connection to Postgres.
    #[error(transparent)]
    Database(#[from] gristmill_native::database::Error),
    /// The client did not begin as the protocol says.
    #[error(
        "the client did not begin as the Model Context Protocol says; start this command from an assistant, not by hand"
    )]
    Client(#[from] Box<rmcp::service::ServerInitializeError>),
    /// The server's task was lost.
    #[error("the server stopped working")]
    Stopped(#[from] tokio::task::JoinError),
}

/// Serves until the client hangs up.
pub async fn run(args: Args) -> Result<(), Error> {
    let console = Console::connect(&args).await?;
    let tools = Tools::new(console, args.allow_actions);
    let service = tools.serve(stdio()).await.map_err(Box::new)?;
    service.waiting().await?;
    Ok(())
}
