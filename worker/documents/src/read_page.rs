//! A page as the stage that reads pages hands it to Postgres.

use serde::Serialize;

use super::model::{Box4, Page};

/// A page, how it was turned to be read, and what is in doubt about it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ReadPage {
    #[serde(flatten)]
    pub(super) page: Page,
    /// The EXIF orientation that the file states. It was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) orientation: Option<u8>,
    /// Degrees, clockwise, beyond the orientation.
    pub(super) turned: f32,
    /// What tesseract read it as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<String>,
    pub(super) doubts: Vec<PageDoubt>,
}

/// Why a person should look at a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PageDoubt {
    pub(super) reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<Box4>,
}

impl PageDoubt {
    /// About the page as a whole; `text` is a word that says more, as the name of a language.
    pub(super) fn new(reason: &'static str, text: Option<String>) -> Self {
        Self {
            reason,
            text,
            place: None,
        }
    }
}

impl From<Page> for ReadPage {
    fn from(page: Page) -> Self {
        Self {
            page,
            orientation: None,
            turned: 0.0,
            language: None,
            doubts: Vec::new(),
        }
    }
}
