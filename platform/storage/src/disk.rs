//! Objects as files: one file each, its metadata in a header of fixed length, so that one rename publishes both.
//!
//! A body is written to a temporary name, synced, and renamed: nothing half-written is ever served. A key is a
//! path below the folder; its file ends in `@`, which no key can, so `a` and `a/b` live side by side.
//!
//! Everything goes through two open folders ([`Dir`]) that no path can leave, by `..` or by a symbolic link. Names come in as [`ObjectKey`]
//! and [`KeyPrefix`] only, which cannot spell such a path in the first place.

use std::io::{Error, ErrorKind, Result, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use chrono::{DateTime, Utc};
use gristmill_files::{KeyPrefix, Listed, Listing, ObjectKey};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use uuid::Uuid;

const HEADER: usize = 1024;

/// How much of a body that is too large is read all the same: whoever sends without looking would otherwise see the connection break
/// instead of the answer.
const DRAINED: u64 = 64 * 1024 * 1024;

pub(super) struct Disk {
    objects: Arc<Dir>,
    unfinished: Arc<Dir>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) content_type: String,
    pub(super) size: u64,
    pub(super) sha256: String,
    pub(super) updated_at: DateTime<Utc>,
}

/// A body that has arrived whole and is not yet an object. Dropped, it is gone: whoever sends may hang up at any time.
pub(super) struct Received {
    pub(super) metadata: Metadata,
    file: Unfinished,
}

struct Unfinished {
    folder: Arc<Dir>,
    name: String,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Renamed files are not there any more; what a crash leaves is removed at the next start.
        let _ = self.folder.remove_file(&self.name);
    }
}

/// What happens to an object that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfThere {
    /// The new one takes its place.
    Replace,
    /// It stays: AlreadyExists.
    Refuse,
}

impl Disk {
    pub(super) async fn open(folder: &Path) -> Result<Self> {
        let (objects, unfinished) = (folder.join("objects"), folder.join("unfinished"));
        blocking(move || {
            std::fs::create_dir_all(&objects)?;
            // What a crash left half-written.
            if unfinished.exists() {
                std::fs::remove_dir_all(&unfinished)?;
            }
            std::fs::create_dir_all(&unfinished)?;
            let open = |folder| Dir::open_ambient_dir(folder, ambient_authority()).map(Arc::new);
            Ok(Self {
                objects: open(&objects)?,
                unfinished: open(&unfinished)?,
            })
        })
        .await
    }

    /// Takes a body of at most `limit` bytes; a larger one is FileTooLarge.
    pub(super) async fn receive<B>(
        &self,
        content_type: &str,
        mut body: B,
        limit: u64,
    ) -> Result<Received>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let folder = self.unfinished.clone();
        // Made where the file is made: a sender who hangs up just then finds both, or none.
        let (unfinished, file) = blocking(move || {
            let name = Uuid::now_v7().to_string();
            let options = OpenOptions::new().write(true).create_new(true).to_owned();
            let file = folder.open_with(&name, &options)?.into_std();
            Ok((Unfinished { folder, name }, file))
        })
        .await?;
        let mut file = File::from_std(file);
        file.write_all(&[b' '; HEADER]).await?;
        let mut digest = Sha256::new();
        let mut size = 0_u64;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(Error::other)?.into_data() else {
                continue;
            };
            size += data.len() as u64;
            if size > limit {
                if size > limit + DRAINED {
                    break;
                }
                continue;
            }
            digest.update(&data);
            file.write_all(&data).await?;
        }
        if size > limit {
            return Err(ErrorKind::FileTooLarge.into());
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
        Ok(Received {
            metadata,
            file: unfinished,
        })
    }

    /// Makes an object of a body that was received.
    pub(super) async fn publish(
        &self,
        received: Received,
        key: &ObjectKey,
        if_there: IfThere,
    ) -> Result<Metadata> {
        let (objects, place) = (self.objects.clone(), place(key));
        blocking(move || {
            let Unfinished { folder, name } = &received.file;
            link(folder, name, &objects, &place, if_there)?;
            Ok(received.metadata.clone())
        })
        .await
    }

    pub(super) async fn has(&self, key: &ObjectKey) -> Result<bool> {
        let (objects, place) = (self.objects.clone(), place(key));
        blocking(move || objects.try_exists(place)).await
    }

    /// The object's metadata, and its file at the first byte of its content.
    pub(super) async fn get(&self, key: &ObjectKey) -> Result<(Metadata, File)> {
        let (objects, place) = (self.objects.clone(), place(key));
        let file = blocking(move || Ok(objects.open(place)?.into_std())).await?;
        let mut file = File::from_std(file);
        let mut header = [0; HEADER];
        file.read_exact(&mut header).await?;
        Ok((serde_json::from_slice(header.trim_ascii_end())?, file))
    }

    /// False when there was nothing to remove.
    pub(super) async fn remove(&self, key: &ObjectKey) -> Result<bool> {
        let (objects, place) = (self.objects.clone(), place(key));
        blocking(move || unlink(&objects, &place)).await
    }

    /// Moves an object to where none is.
    pub(super) async fn rename(&self, from: &ObjectKey, to: &ObjectKey) -> Result<()> {
        let (objects, from, to) = (self.objects.clone(), place(from), place(to));
        blocking(move || {
            if !objects.try_exists(&from)? {
                return Err(ErrorKind::NotFound.into());
            }
            link(&objects, &from, &objects, &to, IfThere::Refuse)?;
            unlink(&objects, &from).map(drop)
        })
        .await
    }

    /// Objects whose key begins with `prefix`, in the order of keys, after `cursor`.
    pub(super) async fn list(
        &self,
        prefix: &KeyPrefix,
        cursor: Option<&ObjectKey>,
        limit: usize,
    ) -> Result<Listing> {
        let objects = self.objects.clone();
        // Only what lies in the prefix's folder can begin with it.
        let folder = escaped(prefix.folder());
        let mut keys = blocking(move || walk(&objects, folder)).await?;
        keys.retain(|key| {
            key.bucket() == prefix.bucket()
                && key.as_str().starts_with(prefix.as_str())
                && cursor.is_none_or(|cursor| key > cursor)
        });
        keys.sort();
        let more = keys.len() > limit;
        keys.truncate(limit);
        let mut listing = Listing {
            cursor: keys
                .last()
                .filter(|_| more)
                .map(|key| key.name().to_owned()),
            ..Listing::default()
        };
        for key in keys {
            match self.get(&key).await {
                Ok((metadata, _)) => listing.objects.push(Listed {
                    key: key.name().to_owned(),
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
}

// What a client's name may have and a plain key has not is escaped, so that no file is named like another object's folder.
fn place(key: &ObjectKey) -> String {
    format!("{}@", escaped(key.as_str()))
}

fn escaped(text: &str) -> String {
    const KEPT: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'/')
        .remove(b':');
    percent_encoding::utf8_percent_encode(text, KEPT).to_string()
}

fn key_at(place: &str) -> Option<ObjectKey> {
    let key = percent_encoding::percent_decode_str(place)
        .decode_utf8()
        .ok()?;
    key.parse().ok()
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(Error::other)?
}

fn link(from: &Dir, name: &str, to: &Dir, place: &str, if_there: IfThere) -> Result<()> {
    // Removing the last object of a folder removes the folder, perhaps just now: make it again.
    for _ in 0..10 {
        if let Some((folder, _)) = place.rsplit_once('/') {
            to.create_dir_all(folder)?;
        }
        // A hard link refuses to replace what is there, in one step, which a look before a rename would not.
        let published = match if_there {
            IfThere::Replace => from.rename(name, to, place),
            IfThere::Refuse => from.hard_link(name, to, place),
        };
        match published {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            ended => return ended,
        }
    }
    Err(ErrorKind::NotFound.into())
}

fn unlink(objects: &Dir, place: &str) -> Result<bool> {
    match objects.remove_file(place) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        removed => removed?,
    }
    let mut folder = place;
    while let Some((above, _)) = folder.rsplit_once('/') {
        if objects.remove_dir(above).is_err() {
            break;
        }
        folder = above;
    }
    Ok(true)
}

// Symbolic links are not followed: we make none.
fn walk(objects: &Dir, folder: String) -> Result<Vec<ObjectKey>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder];
    while let Some(folder) = waiting.pop() {
        let entries = if folder.is_empty() {
            objects.entries()
        } else {
            objects.read_dir(&folder)
        };
        let entries = match entries {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_file()
                && let Some(place) = path.strip_suffix('@')
                && let Some(key) = key_at(place)
            {
                found.push(key);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
