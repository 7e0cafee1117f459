//! Where does it say so? Words become lines by the height they stand at, lines become rows of cells by the gaps in
//! them, neighbours become blocks, and what has a label becomes a pair.

use gristmill_reading::{Block, Page, blocks};
use serde_json::json;

use super::{Stage, Trouble};

pub(super) async fn run(stage: &Stage<'_>) -> Result<(), Trouble> {
    #[derive(serde::Deserialize)]
    struct Content {
        pages: Vec<Page>,
    }
    let content: Content = stage
        .context
        .rpc
        .document_content(stage.document.id, &["pages", "words"])
        .await?;
    let blocks: Vec<Block> = content.pages.iter().flat_map(blocks).collect();
    let kept = json!({ "blocks": blocks.len() });
    stage.finish(&json!({ "blocks": blocks }), &kept).await
}
