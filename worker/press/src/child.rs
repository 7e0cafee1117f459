//! The child's side: reads one request from standard input, sets it, and answers on standard output with a line of JSON and,
//! behind it, the PDF.

use std::fmt::Display;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gristmill_render::{Fonts, Options, RenderError, Renderer, Template};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Arguments of `gristmill set-document`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The fonts that the worker has found; without it they are searched for
    fonts: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Request {
    template: Template,
    data: Value,
    options: Options,
}

/// What stands before the PDF.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub(super) enum Answer {
    /// The PDF follows.
    Set { pages: usize, replaced: String },
    /// It cannot be set; the sentence is for its owner.
    Refused { kind: Kind, message: String },
}

/// Why a document is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// There is nothing in it.
    Document,
    /// There is too much in it.
    TooMuch,
    /// The template does not take it.
    Render,
}

impl Kind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::TooMuch => "too_much",
            Self::Render => "render",
        }
    }
}

/// Sets the document on standard input.
pub fn run(args: &Args) -> ExitCode {
    // A panic's own words may quote the document, and what is said here is logged.
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(place) => tell(&format_args!("panicked at {place}")),
        None => tell(&"panicked"),
    }));
    let renderer = Renderer::with(fonts(args.fonts.as_deref()));
    match serve(&renderer, std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&error);
            ExitCode::FAILURE
        }
    }
}

/// The worker reads standard error and logs it. Where nobody reads it any more, there is nothing to do.
fn tell(what: &dyn Display) {
    let _ = writeln!(std::io::stderr(), "gristmill set-document: {what}");
}

fn fonts(list: Option<&Path>) -> Fonts {
    let list = list.and_then(|list| std::fs::read(list).ok());
    list.and_then(|list| serde_json::from_slice(&list).ok())
        .unwrap_or_else(Fonts::search)
}

fn serve(renderer: &Renderer, mut from: impl Read, mut to: impl Write) -> std::io::Result<()> {
    let mut text = Vec::new();
    from.read_to_end(&mut text)?;
    let request: Request = serde_json::from_slice(&text).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        std::io::Error::new(std::io::ErrorKind::InvalidData, place)
    })?;
    drop(text);
    let (answer, pdf) = match renderer.render(request.template, &request.data, &request.options) {
        Ok(rendered) => (
            Answer::Set {
                pages: rendered.pages,
                replaced: rendered.replaced,
            },
            rendered.pdf,
        ),
        Err(error) => (refused(&error), Vec::new()),
    };
    serde_json::to_writer(&mut to, &answer)?;
    to.write_all(b"\n")?;
    to.write_all(&pdf)?;
    to.flush()
}

fn refused(error: &RenderError) -> Answer {
    let (kind, message) = match error {
        RenderError::NotAnObject => (
            Kind::Document,
            "The document has no content that could be exported.".to_owned(),
        ),
        RenderError::Empty => (
            Kind::Document,
            "The document is empty: its data has no text. Write something into it, such as {\"basics\": {\"name\": \"…\"}}, and export it again."
                .to_owned(),
        ),
        RenderError::TooMuch(too_much) => (
            Kind::TooMuch,
            format!("The document is too large to be set: {too_much}."),
        ),
        RenderError::Template(_) | RenderError::Pdf(_) => (
            Kind::Render,
            "The document could not be set with this template.".to_owned(),
        ),
    };
    Answer::Refused { kind, message }
}

/// Takes an answer apart; none when it is not whole.
pub(super) fn read(mut output: Vec<u8>) -> Option<(Answer, Vec<u8>)> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let answer: Answer = serde_json::from_slice(&output[..end]).ok()?;
    let pdf = output.split_off(end + 1);
    let is_whole = match answer {
        Answer::Set { .. } => pdf.starts_with(b"%PDF-") && !pdf.is_empty(),
        Answer::Refused { .. } => pdf.is_empty(),
    };
    is_whole.then_some((answer, pdf))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(request: &Value) -> (Answer, Vec<u8>) {
        let mut output = Vec::new();
        let request = request.to_string();
        serve(Renderer::shared(), request.as_bytes(), &mut output).unwrap();
        read(output).unwrap()
    }

    #[test]
    fn a_request_is_answered_with_the_pages_and_the_pdf() {
        let (answer, pdf) = asked(
            &json!({"template": "minimal", "data": {"basics": {"name": "Ada"}}, "options": {}}),
        );
        let replaced = String::new();
        assert_eq!(answer, Answer::Set { pages: 1, replaced });
        assert!(pdf.starts_with(b"%PDF-"));
    }

    #[test]
    fn a_document_that_is_too_large_is_refused_with_the_name_of_the_field() {
        let data = json!({"basics": {"summary": "word ".repeat(30_000)}});
        let (answer, _) = asked(&json!({"template": "minimal", "data": data, "options": {}}));
        let Answer::Refused { kind, message } = answer else {
            panic!("it was set");
        };
        assert_eq!(kind, Kind::TooMuch);
        assert!(message.contains("basics.summary"), "{message}");
    }

    #[test]
    fn a_document_that_holds_nothing_is_refused_with_what_to_do() {
        let (answer, _) = asked(&json!({"template": "modern", "data": {}, "options": {}}));
        let Answer::Refused { kind, message } = answer else {
            panic!("it was set");
        };
        assert_eq!(kind, Kind::Document);
        assert!(
            message.contains("empty") && message.contains("basics"),
            "{message}"
        );
    }

    #[test]
    fn an_answer_that_is_cut_off_is_no_answer() {
        for output in [
            &b""[..],
            b"{\"answer\":\"set\",\"pages\":1,\"replaced\":\"\"}",
            b"{\"answer\":\"set\",\"pages\":1,\"replaced\":\"\"}\n",
            b"{\"answer\":\"set\",\"pages\":1,\"replaced\":\"\"}\nhello",
        ] {
            assert_eq!(read(output.to_vec()), None);
        }
    }
}
