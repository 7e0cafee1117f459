//! An R2 bucket, bound as FILES.

use chrono::{DateTime, Utc};
use futures_util::StreamExt;
use worker::{Bucket, HttpMetadata, Object, Range, ResponseBody, UploadedPart};

use gristmill_files::link::{Right, Signer};
use gristmill_files::{Listed, Listing, ObjectKey, StorageError};

use super::{Body, Found, Storage};
use crate::Config;
use gristmill_core::Problem;
use gristmill_core::download::Part;

/// R2's smallest part, and what a large upload holds in memory at a time.
const PART: usize = 5 * 1024 * 1024;

/// A bucket, and the means to sign links to it.
pub struct R2 {
    bucket: Bucket,
    signer: Signer,
    links: String,
}

impl R2 {
    pub(super) fn new(bucket: Bucket, config: &Config) -> Result<Self, Problem> {
        Ok(Self {
            bucket,
            signer: config.files_signer()?,
            links: config.files_url()?,
        })
    }
}

fn away(error: worker::Error) -> StorageError {
    StorageError::Away(error.to_string())
}

impl Storage for R2 {
    async fn put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        body: Body,
    ) -> Result<(), StorageError> {
        match body {
            Body::Bytes(bytes) => self.put_whole(key, content_type, bytes).await,
            Body::Stream(mut stream) => {
                let mut part = Vec::new();
                while part.len() < PART {
                    match stream.next().await {
                        Some(chunk) => part.extend(chunk.map_err(|_| StorageError::Body)?),
                        None => return self.put_whole(key, content_type, part).await,
                    }
                }
                self.put_parts(key, content_type, part, stream).await
            }
        }
    }

    async fn get(&self, key: &ObjectKey) -> Result<Found, StorageError> {
        let object = self
            .bucket
            .get(key.as_str())
            .execute()
            .await
            .map_err(away)?;
        let object = object.ok_or(StorageError::NotFound)?;
        let body = object.body().ok_or(StorageError::NotFound)?;
        Ok(Found {
            stream: body.stream().map_err(away)?,
            size: Some(object.size()),
            content_type: object.http_metadata().content_type.unwrap_or_default(),
        })
    }

    async fn remove(&self, keys: &[ObjectKey]) -> Result<(), StorageError> {
        let keys = keys.iter().map(ObjectKey::as_str).collect();
        self.bucket.delete_multiple(keys).await.map_err(away)
    }

    async fn list(&self, prefix: &str, cursor: Option<&str>) -> Result<Listing, StorageError> {
        let mut asked = self.bucket.list().prefix(prefix).limit(1000);
        if let Some(cursor) = cursor {
            asked = asked.cursor(cursor);
        }
        let found = asked.execute().await.map_err(away)?;
        let objects = found.objects();
        let objects = objects.iter().map(|object| Listed {
            key: object.key(),
            size: object.size(),
            updated_at: at(object.uploaded().as_millis()),
        });
        Ok(Listing {
            objects: objects.collect(),
            cursor: found.truncated().then(|| found.cursor()).flatten(),
        })
    }

    async fn sign(&self, key: &ObjectKey, seconds: u32) -> Result<String, StorageError> {
        let expires_at = Utc::now().timestamp() + i64::from(seconds);
        let query = self.signer.query(Right::Get, key.as_str(), expires_at);
        // A key of another bucket than ours may hold any letter.
        let key: String = form_urlencoded::byte_serialize(key.as_str().as_bytes()).collect();
        Ok(format!("{}/objects?key={key}&{query}", self.links))
    }

    async fn sign_many(
        &self,
        keys: &[ObjectKey],
        seconds: u32,
    ) -> Result<Vec<Option<String>>, StorageError> {
        let mut urls = Vec::with_capacity(keys.len());
        for key in keys {
            urls.push(Some(self.sign(key, seconds).await?));
        }
        Ok(urls)
    }
}

/// An object for whoever saves it: what its headers say, and the bytes that were asked for.
pub struct Download {
    /// Which part.
    pub part: Part,
    /// Of the whole object, in bytes.
    pub size: u64,
    /// In quotes, as headers have it.
    pub etag: String,
    /// As it was stored.
    pub content_type: String,
    /// None where no byte was asked for.
    pub body: Option<ResponseBody>,
}

impl R2 {
    /// Opens an object, or the part of it that Range and If-Range ask for. `with_body` false only looks.
    pub async fn download(
        &self,
        key: &ObjectKey,
        range: Option<&str>,
        if_range: Option<&str>,
        with_body: bool,
    ) -> Result<Download, StorageError> {
        let place = key.as_str();
        if range.is_none() && with_body {
            let object = self.bucket.get(place).execute().await.map_err(away)?;
            let object = object.ok_or(StorageError::NotFound)?;
            let body = object.body().ok_or(StorageError::NotFound)?;
            let body = body.response_body().map_err(away)?;
            return Ok(described(&object, Part::Whole, Some(body)));
        }
        let object = self.bucket.head(place).await.map_err(away)?;
        let object = object.ok_or(StorageError::NotFound)?;
        let size = object.size();
        let part = Part::asked(range, if_range, &object.http_etag(), size);
        if !with_body || part == Part::None {
            return Ok(described(&object, part, None));
        }
        let (offset, length) = part.span(size);
        let asked = self.bucket.get(place);
        let asked = asked.range(Range::OffsetWithLength { offset, length });
        let found = asked.execute().await.map_err(away)?;
        let found = found.ok_or(StorageError::NotFound)?;
        let body = found.body().ok_or(StorageError::NotFound)?;
        let body = body.response_body().map_err(away)?;
        Ok(described(&object, part, Some(body)))
    }

    async fn put_whole(
        &self,
        key: &ObjectKey,
        content_type: &str,
        bytes: Vec<u8>,
    ) -> Result<(), StorageError> {
        let put = self
            .bucket
            .put(key.as_str(), bytes)
            .http_metadata(metadata(content_type));
        put.execute().await.map(drop).map_err(away)
    }

    // The object appears when its parts are completed, so a body that breaks off leaves nothing to be served.
    async fn put_parts(
        &self,
        key: &ObjectKey,
        content_type: &str,
        mut part: Vec<u8>,
        mut stream: futures_util::stream::LocalBoxStream<'static, Result<Vec<u8>, worker::Error>>,
    ) -> Result<(), StorageError> {
        let upload = self.bucket.create_multipart_upload(key.as_str());
        let upload = upload
            .http_metadata(metadata(content_type))
            .execute()
            .await
            .map_err(away)?;
        let sending = async {
            let mut sent: Vec<UploadedPart> = Vec::new();
            loop {
                let number = u16::try_from(sent.len() + 1).map_err(|_| StorageError::Body)?;
                let ended = loop {
                    // Parts but the last must have one length.
                    if part.len() >= PART {
                        break false;
                    }
                    match stream.next().await {
                        Some(chunk) => part.extend(chunk.map_err(|_| StorageError::Body)?),
                        None => break true,
                    }
                };
                let rest = if ended {
                    Vec::new()
                } else {
                    part.split_off(PART)
                };
                if !part.is_empty() {
                    sent.push(upload.upload_part(number, part).await.map_err(away)?);
                }
                if ended {
                    return Ok(sent);
                }
                part = rest;
            }
        };
        match sending.await {
            Ok(sent) => upload.complete(sent).await.map(drop).map_err(away),
            Err(error) => {
                // Best effort: R2 drops an unfinished upload by itself after a week.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }
}

fn described(object: &Object, part: Part, body: Option<ResponseBody>) -> Download {
    let content_type = object.http_metadata().content_type;
    Download {
        part,
        size: object.size(),
        etag: object.http_etag(),
        content_type: content_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
        body,
    }
}

fn metadata(content_type: &str) -> HttpMetadata {
    HttpMetadata {
        content_type: Some(content_type.to_owned()),
        ..HttpMetadata::default()
    }
}

fn at(milliseconds: u64) -> DateTime<Utc> {
    i64::try_from(milliseconds)
        .ok()
        .and_then(DateTime::from_timestamp_millis)
        .unwrap_or_default()
}
