//! A document's file in a folder of its own, for as long as a stage works on it.

use std::path::PathBuf;

use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

use super::{Stage, Trouble};
use crate::storage::ObjectsError;

/// More than an upload may have; a store that sends more is not to be believed.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

pub(super) struct Fetched {
    pub(super) folder: TempDir,
    pub(super) path: PathBuf,
    pub(super) sha256: String,
}

pub(super) async fn fetch(stage: &Stage<'_>) -> Result<Fetched, Trouble> {
    let folder = stage.context.children.folder()?;
    let path = folder.path().join("file");
    let mut file = tokio::fs::File::create_new(&path).await?;
    let mut chunks = Box::pin(
        stage
            .context
            .storage
            .open(&stage.document.storage_path)
            .await?,
    );
    let mut digest = Sha256::new();
    let mut size = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        size += chunk.len() as u64;
        if size > MAX_BYTES {
            return Err(ObjectsError::TooLarge(MAX_BYTES).into());
        }
        digest.update(&chunk);
        file.write_all(&chunk).await?;
    }
    file.flush().await?;
    let sha256 = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(Fetched {
        folder,
        path,
        sha256,
    })
}
