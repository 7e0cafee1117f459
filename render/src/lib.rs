//! Documents to PDF, with typst as a library: no browser.
//!
//! What is set is cleaned and bounded first ([`bounds`]). Time and memory are not bounded here: typst cannot be interrupted,
//! so whoever sets documents of strangers does it in a process that can be killed (`gristmill work` does).
//!
//! What a user wrote is data and never becomes typst source: templates read it from a virtual `data.json`, so
//! there is nothing to inject into. A crate of its own, because typst takes minutes to compile and seldom changes.

pub mod bounds;
mod chapter;
mod clean;
mod contacts;
mod dates;
mod fonts;
mod generic;
mod letters;
mod options;
mod resume;
mod script;
mod text;
mod titles;
mod world;

use std::sync::OnceLock;

use serde_json::{Value, json};
use typst::diag::SourceDiagnostic;
use typst_layout::PagedDocument;

pub use bounds::TooMuch;
pub use fonts::Fonts;
pub use options::{ColourMode, Margins, Options, PageSize, Quality};
use world::{Desk, Sheet};

/// Renders of one process after which typst's memory of them is dropped: the second export of a template is
/// faster than the first, and memory stays flat over any number of them.
const REMEMBERED_RENDERS: usize = 4;

/// How a document looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// A resume in one quiet column.
    Minimal,
    /// A resume with its headings beside the text, in colour.
    Modern,
    /// A resume in a serif, centred.
    Classic,
    /// Title and running text: `{title, author, text}` or `{title, sections: [{title, text}]}`.
    Plain,
    /// A chapter, or a book of several with a title page and a table of contents: `{title, author, sections: [{title, text, table}]}`, or
    /// `chapters` of these. A table is `{head, rows}`.
    Chapter,
}

impl Template {
    fn source(self) -> &'static str {
        match self {
            Self::Minimal => include_str!("../templates/minimal.typ"),
            Self::Modern => include_str!("../templates/modern.typ"),
            Self::Classic => include_str!("../templates/classic.typ"),
            Self::Plain => include_str!("../templates/plain.typ"),
            Self::Chapter => include_str!("../templates/chapter.typ"),
        }
    }
}

/// A finished document.
pub struct Rendered {
    /// The PDF.
    pub pdf: Vec<u8>,
    /// How many pages it has.
    pub pages: usize,
    /// Letters that no font has, in whose place a box stands.
    pub replaced: String,
}

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The data is no JSON object.
    #[error("a document must be a JSON object")]
    NotAnObject,
    /// There is nothing in it that could be read on paper.
    #[error("the document is empty")]
    Empty,
    /// There is more of something than can be set.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    /// The template does not compile with this data. It tolerates any: so this is a mistake of ours.
    #[error("the template could not be set: {0}")]
    Template(String),
    /// The pages could not be written as PDF.
    #[error("the pages could not be written as PDF: {0}")]
    Pdf(String),
}

/// Fonts and typst's library, loaded once.
pub struct Renderer {
    desk: Desk,
}

impl Renderer {
    /// Embedded fonts and those of the system, which it searches for: a tenth of a second.
    pub fn new() -> Self {
        Self::with(Fonts::search())
    }

    /// With fonts that were found before: a moment's work.
    pub fn with(fonts: Fonts) -> Self {
        Self {
            desk: Desk::new(fonts),
        }
    }

    /// The renderer of this process.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Renderer> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    /// Sets `data` with a template. Takes tens of milliseconds of one core for an ordinary document, and much longer for one
    /// that is made to be slow.
    pub fn render(
        &self,
        template: Template,
        data: &Value,
        options: &Options,
    ) -> Result<Rendered, RenderError> {
        if !data.is_object() {
            return Err(RenderError::NotAnObject);
        }
        let data = &bounds::bounded(data)?;
        let options = &options.bounded()?;
        let content = match template {
            Template::Chapter => Some(chapter::chapters(data, options)),
            _ => resume::content(data, options, template == Template::Plain),
        };
        let mut content = content.ok_or(RenderError::Empty)?;
        let replaced = letters::replace_unknown(&mut content, self.desk.book());
        let sheet = Sheet::new(
            &self.desk,
            template,
            &content,
            &json!(options.for_template()),
        );
        let document: PagedDocument = typst::compile(&sheet)
            .output
            .map_err(|errors| RenderError::Template(sentence(&errors)))?;
        let pdf = typst_pdf::pdf(&document, &options.for_pdf())
            .map_err(|errors| RenderError::Pdf(sentence(&errors)))?;
        comemo::evict(REMEMBERED_RENDERS);
        let pages = document.pages().len();
        Ok(Rendered {
            pdf,
            pages,
            replaced: replaced.into_iter().collect(),
        })
    }
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}

fn sentence(errors: &[SourceDiagnostic]) -> String {
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    messages.join("; ")
}

#[cfg(test)]
mod tests;
