//! `gristmill render`: sets a JSON document as PDF, to see what a template makes of it without a stack.

use std::path::PathBuf;
use std::time::Instant;

use gristmill_render::{Options, RenderError, Renderer, Template};
use serde_json::Value;

/// Arguments of `gristmill render`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// minimal, modern, classic or plain
    #[arg(long, default_value = "minimal")]
    template: String,
    /// A JSON document
    input: PathBuf,
    /// Where the PDF goes
    output: PathBuf,
    /// Sets it so many times, each with another name in it, and prints the milliseconds of each
    #[arg(long, default_value_t = 1)]
    times: u32,
}

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No such template.
    #[error("there is no template '{0}'")]
    Template(String),
    /// A file could not be read or written.
    #[error("{0} could not be read or written")]
    File(PathBuf, #[source] std::io::Error),
    /// The input is not JSON.
    #[error("{0} is not JSON")]
    Json(PathBuf, #[source] serde_json::Error),
    /// It could not be set.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Renders and returns.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    let template: Template = serde_json::from_value(Value::String(args.template.clone()))
        .map_err(|_| Error::Template(args.template))?;
    let text = std::fs::read_to_string(&args.input)
        .map_err(|error| Error::File(args.input.clone(), error))?;
    let mut data: Value =
        serde_json::from_str(&text).map_err(|error| Error::Json(args.input, error))?;
    let renderer = Renderer::new();
    let mut pdf = renderer.render(template, &data, &Options::default())?.pdf;
    let original = data.pointer("/basics/summary").cloned();
    for at in 0..args.times.saturating_sub(1) {
        // typst remembers what it has set: the same text again would cost it nothing.
        if let (Some(Value::String(text)), Some(summary)) =
            (&original, data.pointer_mut("/basics/summary"))
        {
            *summary = Value::String(format!("{at} {text}"));
        }
        let started = Instant::now();
        pdf = renderer.render(template, &data, &Options::default())?.pdf;
        println!("{:.3}", started.elapsed().as_secs_f64() * 1_000.0);
    }
    std::fs::write(&args.output, pdf).map_err(|error| Error::File(args.output, error))
}
