//! Logs on standard error: one JSON line an event, or readable lines on a terminal.

use std::error::Error;
use std::io::{IsTerminal, Write};

use tracing_subscriber::EnvFilter;

/// Installs the process-wide subscriber; `GRISTMILL_LOG` filters it (default `info`).
pub fn start() {
    let filter =
        EnvFilter::try_from_env("GRISTMILL_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    if std::io::stderr().is_terminal() {
        logs.with_target(false).init();
    } else {
        logs.json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .init();
    }
}

/// Writes the sentence a command ends with, each cause on a line of its own.
pub fn report(error: &dyn Error) {
    let mut text = format!("gristmill: {error}\n");
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!("  because: {cause}\n"));
        source = cause.source();
    }
    // Nothing is left to do when standard error itself is gone.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
