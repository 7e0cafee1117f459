//! A document's file in a folder of its own, for as long as a stage works on it.

use std::path::PathBuf;

use futures_util::StreamExt;
use gristmill_core::job::Failure;
use gristmill_files::{SNIFFED, sniff};
use gristmill_rpc::Measured;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

use super::{Stage, Trouble};

/// A file that is too large is counted up to this size; no more of it is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// What a text of any length is judged by at the upload, where no more of it has arrived.
const SHORTEST_HEAD: usize = 512;

pub(super) struct Fetched {
    pub(super) folder: TempDir,
    pub(super) path: PathBuf,
    pub(super) measured: Measured,
}

/// Reads the file and measures it. What the security stage has passed must still be the same, to the byte; of a file that is larger
/// than the limit only the beginning is kept, and no digest is known.
pub(super) async fn fetch(stage: &Stage<'_>) -> Result<Fetched, Trouble> {
    let document = &stage.document;
    let folder = stage.context.children.folder()?;
    let path = folder.path().join("file");
    let mut file = tokio::fs::File::create_new(&path).await?;
    let mut chunks = Box::pin(stage.context.storage.open(&document.storage_path).await?);
    let (mut digest, mut head, mut size) = (Sha256::new(), Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        size += chunk.len() as u64;
        if size > MAX_BYTES {
            break;
        }
        if size > document.max_bytes {
            continue;
        }
        head.extend(chunk.iter().take(SNIFFED - head.len()));
        digest.update(&chunk);
        file.write_all(&chunk).await?;
    }
    file.flush().await?;
    let sha256: String = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let is_whole = size <= document.max_bytes.min(MAX_BYTES);
    let was_scanned = document.is_scanned && document.sha256.as_ref() == Some(&sha256);
    if document.is_scanned && !was_scanned && is_whole {
        return Err(Trouble::Failed(Failure::permanent(
            "file_changed",
            "the stored file is not the one that was scanned",
        )));
    }
    Ok(Fetched {
        folder,
        path,
        measured: Measured {
            size,
            sha256: is_whole.then_some(sha256),
            mime_type: sniff(&head).or_else(|| sniff(&head[..head.len().min(SHORTEST_HEAD)])),
        },
    })
}
