//! Google Vision in the place of tesseract: one image a call, words with their boxes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gristmill_core::job::Failure;
use gristmill_runner::Context;
use serde::Deserialize;
use serde_json::json;

use super::capacity::Capacity;
use super::settings::Models;
use super::{Endpoint, Unanswered, exchange};

/// Google Vision, and its room for calls.
pub(super) struct Vision {
    pub(super) endpoint: Endpoint,
    pub(super) capacity: Capacity,
}

#[derive(Deserialize)]
struct Answer {
    responses: Vec<Annotated>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Annotated {
    full_text_annotation: Option<Annotation>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Annotation {
    pages: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    width: f32,
    height: f32,
    blocks: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    words: Vec<Spelled>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spelled {
    symbols: Vec<Symbol>,
    bounding_box: Bounds,
    confidence: Option<f32>,
}

#[derive(Deserialize)]
struct Symbol {
    text: String,
}

#[derive(Deserialize)]
struct Bounds {
    vertices: Vec<Vertex>,
}

// A zero is left out.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Vertex {
    x: f32,
    y: f32,
}

/// What was read on an image.
#[derive(Debug)]
pub struct Recognized {
    /// In the unit of the provider.
    pub width: f32,
    /// In the same unit.
    pub height: f32,
    /// In the order of reading.
    pub words: Vec<RecognizedWord>,
}

/// A word, and where it stands.
#[derive(Debug)]
pub struct RecognizedWord {
    /// As it was read.
    pub text: String,
    /// Left, top, right and bottom, as parts of the image's sides.
    pub place: [f32; 4],
    /// From 0 to 1, where the provider says.
    pub confidence: Option<f32>,
    /// Words of one paragraph have the same.
    pub line: Option<u32>,
}

impl Models {
    /// What a page would be told, while there is no room for it: known before it is drawn.
    pub fn vision_closed(&self) -> Option<Unanswered> {
        self.vision.as_ref()?.capacity.closed()
    }

    /// Reads an image with the provider; none where it has no words at all.
    pub async fn recognize(
        &self,
        context: &Context<'_>,
        image: Vec<u8>,
    ) -> Result<Option<Recognized>, Unanswered> {
        let wrong = || {
            Unanswered::Failed(Failure::retryable(
                "ocr_failure",
                "Google Vision answered in another shape than agreed",
            ))
        };
        let vision = self.vision.as_ref().ok_or_else(wrong)?;
        let endpoint = &vision.endpoint;
        let asked = json!({ "requests": [{
            "image": { "content": STANDARD.encode(image) },
            "features": [{ "type": "DOCUMENT_TEXT_DETECTION" }],
        }] });
        let request = endpoint
            .client
            .post(format!("{}/v1/images:annotate", endpoint.url));
        let request = request
            .header("x-goog-api-key", &endpoint.key)
            .header("content-type", "application/json")
            .body(asked.to_string());
        // Each page is one request of the limit.
        let reserved = vision.capacity.reserve(context, 0).await?;
        let answered = exchange::<Answer>(request).await.map(|answer| (answer, 0));
        let (answer, _) = reserved.settle(context, answered).await?;
        let answer = answer.ok_or_else(wrong)?;
        let annotated = answer
            .responses
            .into_iter()
            .next()
            .filter(|annotated| annotated.error.is_none())
            .ok_or_else(wrong)?;
        // An empty page has no annotation at all.
        let Some(page) = annotated
            .full_text_annotation
            .and_then(|annotation| annotation.pages.into_iter().next())
        else {
            return Ok(None);
        };
        if page.width <= 0.0 || page.height <= 0.0 {
            return Err(wrong());
        }
        Ok(Some(read(&page)))
    }
}

fn read(page: &Page) -> Recognized {
    let mut words = Vec::new();
    let paragraphs = page
        .blocks
        .iter()
        .flat_map(|block| &block.paragraphs)
        .enumerate();
    for (line, paragraph) in paragraphs {
        for word in &paragraph.words {
            let side = |of: fn(&Vertex) -> f32, pick: fn(f32, f32) -> f32, start: f32| {
                word.bounding_box.vertices.iter().map(of).fold(start, pick)
            };
            let place = [
                side(|at| at.x, f32::min, page.width) / page.width,
                side(|at| at.y, f32::min, page.height) / page.height,
                side(|at| at.x, f32::max, 0.0) / page.width,
                side(|at| at.y, f32::max, 0.0) / page.height,
            ];
            let text = word
                .symbols
                .iter()
                .map(|symbol| symbol.text.as_str())
                .collect();
            words.push(RecognizedWord {
                text,
                place: place.map(|side| side.clamp(0.0, 1.0)),
                confidence: word.confidence,
                line: Some(line as u32),
            });
        }
    }
    Recognized {
        width: page.width,
        height: page.height,
        words,
    }
}
