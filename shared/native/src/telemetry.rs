//! Logs on standard error: one JSON line an event, or readable lines on a terminal. And spans to a collector, where one is named (docs/traces.md).

mod export;
mod layer;
mod server;
mod settings;
mod span;

use std::error::Error;
use std::io::{IsTerminal, Write};

use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

pub use export::{counts, export, flush, is_on, takes};
pub use server::Answering;
pub use span::{Attribute, Kind, Span};

/// What is left to start when there is a runtime.
#[must_use = "no span is sent until it runs"]
pub struct Telemetry(Option<export::Exporter>);

impl Telemetry {
    /// Begins to send spans; call it in the runtime.
    pub fn run(self) {
        if let Some(exporter) = self.0 {
            tokio::spawn(exporter.run());
        }
    }
}

/// Installs the process-wide subscriber; `GRISTMILL_LOG` filters it (default `info`). `service` is the name under which spans are exported, for a
/// command that has any.
pub fn start(service: Option<&str>) -> Telemetry {
    let filter = EnvFilter::try_from_env("GRISTMILL_LOG")
        .unwrap_or_else(|_| EnvFilter::new("info,rmcp=warn"));
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = if std::io::stderr().is_terminal() {
        lines.with_target(false).boxed()
    } else {
        lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .boxed()
    };
    let wanted = service.map_or(Ok(None), |service| {
        settings::Settings::read(service, |name| std::env::var(name).ok())
    });
    let (settings, unusable) = match wanted {
        Ok(settings) => (settings, None),
        Err(unusable) => (None, Some(unusable)),
    };
    let exporter = settings.and_then(export::open);
    let attempts = exporter
        .as_ref()
        .map(|_| layer::Attempts.with_filter(filter_fn(layer::is_attempt)));
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .with(attempts)
        .init();
    if let Some(unusable) = unusable {
        tracing::error!(error = %unusable, "no spans are exported");
    }
    Telemetry(exporter)
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
