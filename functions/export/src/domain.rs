//! What callers may ask for. Postgres has the last word on documents, limits and templates.

use gristmill_core::job::JobId;
use gristmill_core::{Problem, in_range};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The body of `POST /v1/exports`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// One of the caller's documents.
    pub(crate) document_id: Uuid,
    #[serde(default)]
    pub(crate) template: Template,
    #[serde(default)]
    pub(crate) options: Options,
}

/// The body of `POST /v1/exports/batch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchOrder {
    /// The caller's documents, in the order of the ZIP.
    #[schemars(length(min = 1, max = 10))]
    pub(crate) document_ids: Vec<Uuid>,
    #[serde(default)]
    pub(crate) template: Template,
    #[serde(default)]
    pub(crate) options: Options,
}

/// How the document looks.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Template {
    /// One quiet column.
    #[default]
    Minimal,
    /// Headings beside the text, in colour.
    Modern,
    /// A serif, centred.
    Classic,
}

impl Template {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Modern => "modern",
            Self::Classic => "classic",
        }
    }
}

/// The layout of the PDF.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    page_size: Option<PageSize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margins: Option<Margins>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<Quality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    color_mode: Option<ColourMode>,
}

/// The size of the paper.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
enum PageSize {
    #[serde(alias = "a4")]
    A4,
    #[serde(alias = "letter")]
    Letter,
    #[serde(alias = "legal")]
    Legal,
}

/// What the file is for.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Quality {
    /// The smallest file.
    Draft,
    /// With structure tags, for screen readers.
    #[serde(alias = "normal")]
    Standard,
    /// PDF/A-2a, for archives.
    High,
}

/// Colour or grey.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ColourMode {
    Color,
    Grayscale,
}

/// White space around the text, in inches.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Margins {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    top: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    right: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    bottom: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    left: Option<f64>,
}

/// The query of `GET /v1/exports`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// How many exports to list; 50 when absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The id of the last export of the page before. This page begins with the next older export.
    pub(crate) before: Option<JobId>,
}

impl Page {
    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        in_range("limit", self.limit.unwrap_or(50), 1..=100)
    }
}

/// The query of a ZIP download.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// 1 downloads the finished PDFs although other exports of the batch are not finished.
    #[schemars(range(min = 0, max = 1))]
    partial: Option<u8>,
}

impl Part {
    pub(crate) fn is_enough(&self) -> Result<bool, Problem> {
        Ok(in_range("partial", self.partial.unwrap_or(0), 0..=1)? == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_core::json;

    #[test]
    fn an_order_is_taken_in_either_case_and_only_what_is_given_is_passed_on() {
        let body =
            br#"{"document_id": "0190a0a0-0000-7000-8000-000000000001", "template": "modern",
            "options": {"page_size": "letter", "margins": {"top": 1}}}"#;
        let order: Order = json::parse(body).unwrap();
        assert_eq!(order.template.name(), "modern");
        let options = serde_json::to_value(&order.options).unwrap();
        assert_eq!(
            options,
            serde_json::json!({"page_size": "Letter", "margins": {"top": 1.0}})
        );
    }

    #[test]
    fn an_unknown_option_is_refused_by_name() {
        let body =
            br#"{"document_id": "0190a0a0-0000-7000-8000-000000000001", "options": {"dpi": 300}}"#;
        let refused = json::parse::<Order>(body).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("options.dpi"));
    }
}
