//! Objects as files: one file each, its metadata in a header of fixed length, so that one rename publishes both.
//!
//! A body is written to a temporary name, synced, and renamed: nothing half-written is ever served. A key is a
//! path below the folder; its file ends in `@`, which no key can, so `a` and `a/b` live side by side.

use std::io::{Error, ErrorKind, Result, SeekFrom};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use gristmill_shared::storage::{Listed, Listing, ObjectKey};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::TempPath;
use tokio::fs::{self, File};
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use uuid::Uuid;

const HEADER: usize = 1024;

pub(super) struct Disk {
    objects: PathBuf,
    unfinished: PathBuf,
    max_object: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) content_type: String,
    pub(super) size: u64,
    pub(super) sha256: String,
    pub(super) updated_at: DateTime<Utc>,
}

impl Disk {
    pub(super) async fn open(folder: &Path, max_object: u64) -> Result<Self> {
        let disk = Self {
            objects: folder.join("objects"),
            unfinished: folder.join("unfinished"),
            max_object,
        };
        fs::create_dir_all(&disk.objects).await?;
        // What a crash left half-written.
        if fs::try_exists(&disk.unfinished).await? {
            fs::remove_dir_all(&disk.unfinished).await?;
        }
        fs::create_dir_all(&disk.unfinished).await?;
        Ok(disk)
    }

    /// Stores a body whole or not at all. Without `replace` an object that is there stays: AlreadyExists.
    pub(super) async fn put<B>(
        &self,
        key: &ObjectKey,
        content_type: &str,
        body: B,
        replace: bool,
    ) -> Result<Metadata>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let place = self.place(key);
        if !replace && fs::try_exists(&place).await? {
            return Err(ErrorKind::AlreadyExists.into());
        }
        // Removed when this is dropped, also half-way: whoever sends may hang up at any time.
        let unfinished = TempPath::try_from_path(self.unfinished.join(Uuid::now_v7().to_string()))?;
        let metadata = self.write(&unfinished, content_type, body).await?;
        self.publish(&unfinished, &place, replace).await?;
        Ok(metadata)
    }

    async fn write<B>(&self, path: &Path, content_type: &str, mut body: B) -> Result<Metadata>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let mut file = File::create_new(path).await?;
        file.write_all(&[b' '; HEADER]).await?;
        let mut digest = Sha256::new();
        let mut size = 0_u64;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(Error::other)?.into_data() else {
                continue;
            };
            size += data.len() as u64;
            if size > self.max_object {
                return Err(ErrorKind::FileTooLarge.into());
            }
            digest.update(&data);
            file.write_all(&data).await?;
        }
        let sha256 = digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let metadata = Metadata {
            content_type: content_type.to_owned(),
            size,
            sha256,
            updated_at: Utc::now(),
        };
        let header = serde_json::to_vec(&metadata)?;
        if header.len() > HEADER {
            return Err(ErrorKind::InvalidInput.into());
        }
        file.seek(SeekFrom::Start(0)).await?;
        file.write_all(&header).await?;
        file.flush().await?;
        file.sync_data().await?;
        Ok(metadata)
    }

    async fn publish(&self, unfinished: &Path, place: &Path, replace: bool) -> Result<()> {
        // Removing the last object of a folder removes the folder, perhaps just now: make it again.
        for _ in 0..10 {
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder).await?;
            }
            // A hard link refuses to replace what is there, which a rename would not.
            let published = if replace {
                fs::rename(unfinished, place).await
            } else {
                fs::hard_link(unfinished, place).await
            };
            match published {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                ended => return ended,
            }
        }
        Err(ErrorKind::NotFound.into())
    }

    /// The object's metadata, and its file at the first byte of its content.
    pub(super) async fn get(&self, key: &ObjectKey) -> Result<(Metadata, File)> {
        let mut file = File::open(self.place(key)).await?;
        let mut header = [0; HEADER];
        file.read_exact(&mut header).await?;
        Ok((serde_json::from_slice(header.trim_ascii_end())?, file))
    }

    /// False when there was nothing to remove.
    pub(super) async fn remove(&self, key: &ObjectKey) -> Result<bool> {
        let place = self.place(key);
        match fs::remove_file(&place).await {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            removed => removed?,
        }
        let mut folder = place.parent();
        while let Some(path) = folder.filter(|path| *path != self.objects) {
            if fs::remove_dir(path).await.is_err() {
                break;
            }
            folder = path.parent();
        }
        Ok(true)
    }

    pub(super) async fn rename(&self, from: &ObjectKey, to: &ObjectKey) -> Result<()> {
        let (from, to) = (self.place(from), self.place(to));
        if !fs::try_exists(&from).await? {
            return Err(ErrorKind::NotFound.into());
        }
        self.publish(&from, &to, true).await
    }

    /// Objects whose key begins with `prefix`, in the order of keys, after `cursor`.
    pub(super) async fn list(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Listing> {
        let root = self.objects.clone();
        // Only what lies in the prefix's folder can begin with it.
        let folder = prefix
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned();
        let walked = tokio::task::spawn_blocking(move || walk(&root, &folder)).await;
        let mut keys = walked.map_err(Error::other)??;
        keys.retain(|key| {
            key.starts_with(prefix) && cursor.is_none_or(|cursor| key.as_str() > cursor)
        });
        keys.sort();
        let more = keys.len() > limit;
        keys.truncate(limit);
        let mut listing = Listing {
            cursor: keys.last().filter(|_| more).cloned(),
            ..Listing::default()
        };
        for key in keys {
            let Ok(parsed) = key.parse() else { continue };
            match self.get(&parsed).await {
                Ok((metadata, _)) => listing.objects.push(Listed {
                    key,
                    size: metadata.size,
                    updated_at: metadata.updated_at,
                }),
                // Removed meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(listing)
    }

    fn place(&self, key: &ObjectKey) -> PathBuf {
        self.objects.join(format!("{key}@"))
    }
}

fn walk(root: &Path, folder: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match std::fs::read_dir(root.join(&folder)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let key = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            match key.strip_suffix('@') {
                Some(key) => found.push(key.to_owned()),
                None => waiting.push(key),
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
