//! Media types: what a client sends, and what it can read.

use hyper::header::HeaderValue;

use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::Format;

/// The type of a request's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ContentType {
    Json,
    Csv,
    Form,
    Text,
    Xml,
    Binary,
    Other(String),
}

impl ContentType {
    /// JSON where nothing is said.
    pub(super) fn parse(header: Option<&HeaderValue>) -> Self {
        let Some(header) = header else {
            return Self::Json;
        };
        let text = String::from_utf8_lossy(header.as_bytes());
        let essence = text.split(';').next().unwrap_or_default();
        match essence.trim().to_ascii_lowercase().as_str() {
            ""
            | "application/json"
            | "application/vnd.pgrst.object+json"
            | "application/vnd.pgrst.array+json" => Self::Json,
            "text/csv" => Self::Csv,
            "application/x-www-form-urlencoded" => Self::Form,
            "text/plain" => Self::Text,
            "text/xml" => Self::Xml,
            "application/octet-stream" => Self::Binary,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// The header that names a format.
pub(super) fn content_type(format: Format) -> HeaderValue {
    HeaderValue::from_static(match format {
        Format::Json => "application/json; charset=utf-8",
        Format::StrippedJson => "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8",
        Format::Object => "application/vnd.pgrst.object+json; charset=utf-8",
        Format::StrippedObject => "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8",
        Format::Csv => "text/csv; charset=utf-8",
    })
}

/// The Accept header, best first.
#[derive(Debug)]
pub(super) struct Accepted {
    types: Vec<String>,
}

impl Accepted {
    pub(super) fn parse<'a>(headers: impl Iterator<Item = &'a HeaderValue>) -> Self {
        let mut weighted: Vec<(f32, String)> = Vec::new();
        for header in headers {
            for item in String::from_utf8_lossy(header.as_bytes()).split(',') {
                let (name, quality) = split_quality(item);
                if !name.is_empty() {
                    weighted.push((quality, name));
                }
            }
        }
        // Stable: of equals, the one named first.
        weighted.sort_by(|left, right| right.0.total_cmp(&left.0));
        let types = weighted.into_iter().map(|(_, name)| name).collect();
        Self { types }
    }

    /// The best format for rows that we can write.
    pub(super) fn rows(&self) -> Result<Format, Refusal> {
        if self.types.is_empty() {
            return Ok(Format::Json);
        }
        let known = self.types.iter().find_map(|name| match name.as_str() {
            "*/*" | "application/*" | "application/json" | "application/vnd.pgrst.array+json" => {
                Some(Format::Json)
            }
            "application/vnd.pgrst.array+json;nulls=stripped" => Some(Format::StrippedJson),
            "application/vnd.pgrst.object+json" | "application/vnd.pgrst.object" => {
                Some(Format::Object)
            }
            "application/vnd.pgrst.object+json;nulls=stripped"
            | "application/vnd.pgrst.object;nulls=stripped" => Some(Format::StrippedObject),
            "text/csv" | "text/*" => Some(Format::Csv),
            _ => None,
        });
        known.ok_or_else(|| self.refusal())
    }

    /// Whether the schema's description may be sent.
    pub(super) fn description(&self) -> Result<(), Refusal> {
        let readable = |name: &String| {
            matches!(
                name.as_str(),
                "*/*" | "application/*" | "application/json" | "application/openapi+json"
            )
        };
        if self.types.is_empty() || self.types.iter().any(readable) {
            return Ok(());
        }
        Err(self.refusal())
    }

    fn refusal(&self) -> Refusal {
        Refusal::MediaType(self.types.join(", "))
    }
}

/// The type with the parameters that matter, and its weight.
fn split_quality(item: &str) -> (String, f32) {
    let mut parts = item.split(';').map(|part| part.trim().to_ascii_lowercase());
    let mut name = parts.next().unwrap_or_default();
    let mut quality = 1.0;
    for parameter in parts {
        match parameter.split_once('=') {
            Some(("q", weight)) => quality = weight.parse().unwrap_or(0.0),
            Some(("nulls", "stripped")) => name.push_str(";nulls=stripped"),
            _ => {}
        }
    }
    (name, quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(accept: &str) -> Option<Format> {
        let header = HeaderValue::from_str(accept).unwrap();
        Accepted::parse([header].iter()).rows().ok()
    }

    #[test]
    fn the_best_weighted_known_type_is_taken() {
        assert_eq!(rows("text/csv;q=0.5, application/json"), Some(Format::Json));
        assert_eq!(rows("image/png, text/csv"), Some(Format::Csv));
        assert_eq!(rows("*/*"), Some(Format::Json));
        assert_eq!(rows("image/png"), None);
    }

    #[test]
    fn nulls_are_stripped_on_request() {
        let stripped = rows("application/vnd.pgrst.object+json;nulls=stripped");
        assert_eq!(stripped, Some(Format::StrippedObject));
    }

    #[test]
    fn a_body_is_json_unless_said_otherwise() {
        assert_eq!(ContentType::parse(None), ContentType::Json);
        let header = HeaderValue::from_static("Text/CSV; charset=utf-8");
        assert_eq!(ContentType::parse(Some(&header)), ContentType::Csv);
    }
}
