//! The `gristmill` command: parses arguments, starts one module, turns its error into a sentence.

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gristmill_native::telemetry;
use {
    gristmill_console as console, gristmill_gateway as gateway, gristmill_migrate as migrate,
    gristmill_relay as relay, gristmill_storage as storage,
};

mod configure;
mod doctor;
mod maintenance;
#[cfg(any(feature = "exports", feature = "workflows"))]
mod render;
mod top;
mod why;
#[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
mod work;

/// Background jobs on Postgres and edge functions.
#[derive(Parser)]
#[command(name = "gristmill", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve a Postgres over HTTP in PostgREST's dialect
    Gateway(Box<gateway::Args>),
    /// Send what net.http_post queued and run what cron.schedule planned, where the extensions are absent
    Relay(relay::Args),
    #[cfg(any(feature = "exports", feature = "workflows"))]
    /// Set a JSON document as PDF
    Render(render::Args),
    /// Bring a database to this version's schema; safe to run twice and at once, and to kill
    Migrate(Box<migrate::Args>),
    /// Tell a database where its functions are and how to sign for them
    Configure(configure::Args),
    /// Stop users' writes for a while, or let them go on
    Maintenance(maintenance::Args),
    /// Examine a deployment and say how to mend what is not sound; changes nothing
    Doctor(doctor::Args),
    #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
    /// Run jobs in a container: claim, work, settle
    Work(Box<work::Args>),
    #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
    /// Take rights and limits from itself and become a program: how `work` starts what works on files of strangers
    #[command(hide = true)]
    Confine(gristmill_runner::confine::Args),
    #[cfg(feature = "documents")]
    /// Look through the objects of a PDF: how `work` starts this program again, as a child under limits
    #[command(hide = true)]
    InspectPdf(gristmill_work_documents::InspectArgs),
    #[cfg(any(feature = "exports", feature = "workflows"))]
    /// Set one document: how `work` starts this program again, as a child under limits
    #[command(hide = true)]
    SetDocument(gristmill_press::ChildArgs),
    #[cfg(feature = "documents")]
    /// Turn the picture of one page upright: how `work` starts this program again, as a child under limits
    #[command(hide = true)]
    LevelPage(gristmill_work_documents::ChildArgs),
    /// Serve a folder of files in the dialect of Supabase Storage
    Storage(storage::Args),
    /// Show the queues, live
    Top(top::Args),
    /// Serve the console of a deployment on this machine, and sign in to it
    Console(Box<console::Args>),
    /// Say why a job is not running, and what to do about it
    Why(why::Args),
    #[cfg(feature = "mcp")]
    /// Serve tools to an assistant over the Model Context Protocol; looks only, unless told otherwise
    Mcp(Box<gristmill_mcp::Args>),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    // Without a runtime, whose threads would each reserve address space, which is limited there.
    match &command {
        #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
        Command::Confine(args) => return gristmill_runner::confine::run(args),
        #[cfg(feature = "documents")]
        Command::InspectPdf(args) => return gristmill_work_documents::inspect_pdf(args),
        #[cfg(any(feature = "exports", feature = "workflows"))]
        Command::SetDocument(args) => return gristmill_press::run_child(args),
        #[cfg(feature = "documents")]
        Command::LevelPage(args) => return gristmill_work_documents::run_child(args),
        _ => {}
    }
    let service = match &command {
        Command::Gateway(_) => Some("gristmill-gateway"),
        #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
        Command::Work(_) => Some("gristmill-worker"),
        _ => None,
    };
    let telemetry = telemetry::start(service);
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(async {
            telemetry.run();
            let code = start(command).await;
            telemetry::flush().await;
            code
        }),
        Err(error) => {
            telemetry::report(&error);
            ExitCode::FAILURE
        }
    }
}

async fn start(command: Command) -> ExitCode {
    let ended: Result<(), Box<dyn Error>> = match command {
        #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
        Command::Confine(_) => Ok(()),
        #[cfg(feature = "documents")]
        Command::InspectPdf(_) => Ok(()),
        #[cfg(any(feature = "exports", feature = "workflows"))]
        Command::SetDocument(_) => Ok(()),
        #[cfg(feature = "documents")]
        Command::LevelPage(_) => Ok(()),
        Command::Gateway(args) => gateway::run(*args).await.map_err(Into::into),
        Command::Relay(args) => relay::run(args).await.map_err(Into::into),
        #[cfg(any(feature = "exports", feature = "workflows"))]
        Command::Render(args) => render::run(args).map_err(Into::into),
        Command::Migrate(args) => migrate::run(*args).await.map_err(Into::into),
        Command::Configure(args) => configure::run(args).await.map_err(Into::into),
        Command::Maintenance(args) => maintenance::run(args).await.map_err(Into::into),
        Command::Doctor(args) => doctor::run(args).await.map_err(Into::into),
        #[cfg(any(feature = "documents", feature = "exports", feature = "workflows"))]
        Command::Work(args) => work::run(*args).await.map_err(Into::into),
        Command::Storage(args) => storage::run(args).await.map_err(Into::into),
        Command::Top(args) => top::run(args).await.map_err(Into::into),
        Command::Console(args) => console::run(*args).await.map_err(Into::into),
        Command::Why(args) => why::run(args).await.map_err(Into::into),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => gristmill_mcp::run(*args).await.map_err(Into::into),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            telemetry::report(error.as_ref());
            error
                .downcast_ref::<migrate::Error>()
                .map_or(ExitCode::FAILURE, |error| error.exit_code().into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_says_that_it_is_gristmill_whatever_its_package_is_called() {
        let said = Cli::command().render_version();
        assert_eq!(said, concat!("gristmill ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}
