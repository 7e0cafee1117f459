//! How a document is to be put on paper.

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::{Deserialize, Serialize};
use typst::foundations::{Datetime, Smart};
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, Timestamp};

use crate::bounds::{TooMuch, bounded_text};

/// The paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageSize {
    /// 210 × 297 mm.
    #[default]
    A4,
    /// 8.5 × 11 in.
    Letter,
    /// 8.5 × 14 in.
    Legal,
}

impl PageSize {
    fn paper(self) -> &'static str {
        match self {
            Self::A4 => "a4",
            Self::Letter => "us-letter",
            Self::Legal => "us-legal",
        }
    }
}

/// White space around the text, in inches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Margins {
    /// Above.
    pub top: f64,
    /// At the right.
    pub right: f64,
    /// Below.
    pub bottom: f64,
    /// At the left.
    pub left: f64,
}

impl Default for Margins {
    fn default() -> Self {
        Self {
            top: 0.8,
            right: 0.85,
            bottom: 0.8,
            left: 0.85,
        }
    }
}

impl Margins {
    // What callers may ask for is checked where they ask; here nothing may break the page.
    fn bounded(self) -> Self {
        let bound = |inches: f64| {
            if inches.is_finite() {
                inches.clamp(0.0, 2.0)
            } else {
                0.8
            }
        };
        Self {
            top: bound(self.top),
            right: bound(self.right),
            bottom: bound(self.bottom),
            left: bound(self.left),
        }
    }
}

/// What the file is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// To look at: the smallest file, without structure tags.
    Draft,
    /// To send: tagged, so that screen readers and applicant systems read it in order.
    #[default]
    Standard,
    /// To keep: PDF/A-2a.
    High,
}

/// Colour or grey.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColourMode {
    /// As the template has it.
    #[default]
    #[serde(alias = "colour")]
    Color,
    /// For printers without colour.
    #[serde(alias = "greyscale")]
    Grayscale,
}

/// Everything beside the content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The paper.
    pub page_size: PageSize,
    /// White space around the text.
    pub margins: Margins,
    /// What the file is for.
    pub quality: Quality,
    /// Colour or grey.
    pub color_mode: ColourMode,
    /// Title in the PDF's metadata; the name in the document without one.
    pub title: Option<String>,
    /// When it was made, in the PDF's metadata.
    pub created_at: Option<DateTime<Utc>>,
}

/// What a template reads from `options.json`.
#[derive(Serialize)]
pub(crate) struct ForTemplate {
    paper: &'static str,
    margins: Margins,
    grayscale: bool,
}

impl Options {
    /// The same with a title that can be set.
    pub(crate) fn bounded(&self) -> Result<Self, TooMuch> {
        let title = self.title.as_deref();
        Ok(Self {
            title: title
                .map(|title| bounded_text(title, "title"))
                .transpose()?,
            ..self.clone()
        })
    }

    pub(crate) fn for_template(&self) -> ForTemplate {
        ForTemplate {
            paper: self.page_size.paper(),
            margins: self.margins.bounded(),
            grayscale: self.color_mode == ColourMode::Grayscale,
        }
    }

    pub(crate) fn for_pdf(&self) -> PdfOptions {
        let archival = PdfStandards::new(&[PdfStandard::A_2a]).unwrap_or_default();
        PdfOptions {
            creator: Smart::Custom(Some("Gristmill".into())),
            // An archival PDF without a date is refused.
            timestamp: self
                .created_at
                .or_else(|| (self.quality == Quality::High).then(Utc::now))
                .and_then(timestamp),
            tagged: self.quality != Quality::Draft,
            standards: if self.quality == Quality::High {
                archival
            } else {
                PdfStandards::default()
            },
            ..PdfOptions::default()
        }
    }
}

fn timestamp(at: DateTime<Utc>) -> Option<Timestamp> {
    let part = |number: u32| u8::try_from(number).ok();
    let date = Datetime::from_ymd_hms(
        at.year(),
        part(at.month())?,
        part(at.day())?,
        part(at.hour())?,
        part(at.minute())?,
        part(at.second())?,
    )?;
    Some(Timestamp::new_utc(date))
}
