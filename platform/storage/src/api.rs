//! The requests of supabase-js' storage client that we and the compat snippets use.

use std::io::ErrorKind;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use gristmill_files::link::Signer;
use gristmill_files::{KeyPrefix, ObjectKey};
use gristmill_rpc::ObjectAct;
use http_body_util::{BodyExt, BodyStream, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Method, Request, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::access::Access;
use super::content;
use super::disk::{Disk, IfThere, Received};
use gristmill_native::serve::{Answer, json as answer_json};

pub(super) struct Api {
    pub(super) disk: Disk,
    pub(super) max_object: u64,
    pub(super) max_upload: u64,
    pub(super) access: Access,
    pub(super) signer: Signer,
}

/// Why a request is refused, in Supabase's form.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("Invalid Compact JWS")]
    Token,
    #[error("new row violates row-level security policy")]
    Denied,
    #[error("Object not found")]
    NotFound,
    #[error("Invalid key")]
    Key,
    #[error("Bucket not found")]
    Bucket,
    #[error("The request could not be understood")]
    Request,
    #[error("The resource already exists")]
    Duplicate,
    #[error("The object exceeded the maximum allowed size")]
    TooLarge,
    #[error(
        "expiresIn is at most {}: a link is good for a week",
        super::links::LONGEST_SECONDS
    )]
    TooLong,
    #[error("The service is unavailable")]
    Away,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Token | Self::Denied => StatusCode::FORBIDDEN,
            Self::NotFound | Self::Bucket => StatusCode::NOT_FOUND,
            Self::Key | Self::Request | Self::TooLong => StatusCode::BAD_REQUEST,
            Self::Duplicate => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Away => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::AlreadyExists => Self::Duplicate,
            ErrorKind::FileTooLarge => Self::TooLarge,
            ErrorKind::InvalidInput => Self::Request,
            _ => {
                tracing::warn!(%error, "the folder failed");
                Self::Away
            }
        }
    }
}

impl Api {
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        self.route(request).await.unwrap_or_else(|refusal| {
            let status = refusal.status();
            let code = status.as_u16().to_string();
            answer_json(status, &json!({ "statusCode": code, "error": format!("{refusal:?}"), "message": refusal.to_string() }))
        })
    }

    async fn route(&self, request: Request<Incoming>) -> Result<Answer, Refusal> {
        let path = request.uri().path();
        let path = path.strip_prefix("/storage/v1").unwrap_or(path).to_owned();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (request.method(), segments.as_slice()) {
            (&Method::GET, ["status"]) => Ok(answer_json(StatusCode::OK, &json!({}))),
            (&Method::POST, ["object", "list-v2", bucket]) => self.list(bucket, request).await,
            (&Method::POST, ["object", "move"]) => self.rename(request).await,
            (&Method::POST, ["object", "sign", bucket]) => self.sign_many(bucket, request).await,
            (&Method::POST, ["object", "sign", bucket, key @ ..]) => {
                self.sign(self.place(bucket, key).await?, request).await
            }
            (&Method::GET | &Method::HEAD, ["object", "sign", bucket, key @ ..]) => {
                self.get_signed(self.place(bucket, key).await?, &request)
                    .await
            }
            (
                &Method::GET | &Method::HEAD,
                ["object", "authenticated", bucket, key @ ..] | ["object", bucket, key @ ..],
            ) => self.get(self.place(bucket, key).await?, &request).await,
            (&Method::POST | &Method::PUT, ["object", bucket, key @ ..]) => {
                self.put(self.place(bucket, key).await?, request).await
            }
            (&Method::DELETE, ["object", bucket]) => self.remove(bucket, request).await,
            (&Method::DELETE, ["object", bucket, key @ ..]) => {
                self.remove_one(self.place(bucket, key).await?, &request)
                    .await
            }
            _ => Err(Refusal::Request),
        }
    }

    // A percent sign is never part of a key. Each segment is decoded by itself, so that none can bring a slash.
    async fn place(&self, bucket: &str, key: &[&str]) -> Result<ObjectKey, Refusal> {
        self.access.knows(bucket).await?;
        let decoded = key.iter().map(|segment| {
            let text = percent_encoding::percent_decode_str(segment).decode_utf8();
            text.ok().filter(|text| !text.contains('/'))
        });
        let decoded: Option<Vec<_>> = decoded.collect();
        ObjectKey::within(bucket, &decoded.ok_or(Refusal::Key)?.join("/")).map_err(|_| Refusal::Key)
    }

    // A body may take its time, so its end is judged anew. A user replaces nothing: what is at a place may have been registered, and
    // read, while the body was on its way.
    async fn put(&self, key: ObjectKey, request: Request<Incoming>) -> Result<Answer, Refusal> {
        let caller = self.access.caller(request.headers())?;
        caller.may(ObjectAct::Write, key.as_str()).await?;
        let header = |name| {
            request
                .headers()
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let content_type = header("content-type")
            .unwrap_or("application/octet-stream")
            .to_owned();
        let asked_to = request.method() == Method::PUT || header("x-upsert") == Some("true");
        let (if_there, limit) = match caller.is_user() {
            true => (IfThere::Refuse, self.max_upload),
            false if asked_to => (IfThere::Replace, self.max_object),
            false => (IfThere::Refuse, self.max_object),
        };
        if if_there == IfThere::Refuse && self.disk.has(&key).await? {
            return Err(Refusal::Duplicate);
        }
        let body = request.into_body();
        let received = match multer::parse_boundary(&content_type) {
            Ok(boundary) => self.receive_form(boundary, body, limit).await?,
            Err(_) => self.disk.receive(&content_type, body, limit).await?,
        };
        caller.still_may(ObjectAct::Write, key.as_str()).await?;
        let (size, content_type) = (received.metadata.size, &received.metadata.content_type);
        self.access.note(&key, size, content_type).await?;
        let metadata = self.disk.publish(received, &key, if_there).await?;
        Ok(answer_json(
            StatusCode::OK,
            &json!({ "Key": format!("{}/{}", key.bucket(), key.name()), "Id": metadata.sha256 }),
        ))
    }

    // supabase-js sends a Blob as a form; its file is the field with a content type.
    async fn receive_form(
        &self,
        boundary: String,
        body: Incoming,
        limit: u64,
    ) -> Result<Received, Refusal> {
        let mut form = multer::Multipart::new(
            BodyStream::new(body).try_filter_map(async |frame| Ok(frame.into_data().ok())),
            boundary,
        );
        while let Some(field) = form.next_field().await.map_err(|_| Refusal::Request)? {
            if let Some(content_type) = field.content_type().map(ToString::to_string) {
                let content = StreamBody::new(field.map_ok(Frame::data));
                return Ok(self.disk.receive(&content_type, content, limit).await?);
            }
        }
        Err(Refusal::Request)
    }

    async fn get(&self, key: ObjectKey, request: &Request<Incoming>) -> Result<Answer, Refusal> {
        let caller = self.access.caller(request.headers())?;
        // What may not be seen looks like what is not there.
        caller
            .may(ObjectAct::Read, key.as_str())
            .await
            .map_err(|refusal| match refusal {
                Refusal::Denied => Refusal::NotFound,
                other => other,
            })?;
        let name = content::saved_as(request.uri().query());
        self.content(&key, request.headers(), name).await
    }

    pub(super) async fn content(
        &self,
        key: &ObjectKey,
        asked: &HeaderMap,
        name: Option<String>,
    ) -> Result<Answer, Refusal> {
        let (metadata, file) = self.disk.get(key).await?;
        let name = name.or_else(|| key.as_str().rsplit('/').next().map(str::to_owned));
        content::answer(&metadata, file, asked, &name.unwrap_or_default()).await
    }

    async fn remove(&self, bucket: &str, request: Request<Incoming>) -> Result<Answer, Refusal> {
        #[derive(Deserialize)]
        struct Asked {
            prefixes: Vec<String>,
        }
        self.access.knows(bucket).await?;
        let caller = self.access.caller(request.headers())?;
        let asked: Asked = read(request).await?;
        let mut removed = Vec::new();
        for name in asked.prefixes {
            let key = ObjectKey::within(bucket, &name).map_err(|_| Refusal::Key)?;
            caller.may(ObjectAct::Remove, key.as_str()).await?;
            let was_there = self.disk.remove(&key).await?;
            self.access.forget(&key).await?;
            if was_there {
                removed.push(json!({ "name": name, "bucket_id": bucket }));
            }
        }
        Ok(answer_json(StatusCode::OK, &removed.into()))
    }

    async fn remove_one(
        &self,
        key: ObjectKey,
        request: &Request<Incoming>,
    ) -> Result<Answer, Refusal> {
        self.access
            .caller(request.headers())?
            .may(ObjectAct::Remove, key.as_str())
            .await?;
        let was_there = self.disk.remove(&key).await?;
        self.access.forget(&key).await?;
        if !was_there {
            return Err(Refusal::NotFound);
        }
        Ok(answer_json(
            StatusCode::OK,
            &json!({ "message": "Successfully deleted" }),
        ))
    }

    async fn rename(&self, request: Request<Incoming>) -> Result<Answer, Refusal> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Asked {
            bucket_id: String,
            source_key: String,
            destination_key: String,
        }
        let caller = self.access.caller(request.headers())?;
        let asked: Asked = read(request).await?;
        let bucket = asked.bucket_id.as_str();
        self.access.knows(bucket).await?;
        let from = ObjectKey::within(bucket, &asked.source_key).map_err(|_| Refusal::Key)?;
        let to = ObjectKey::within(bucket, &asked.destination_key).map_err(|_| Refusal::Key)?;
        caller.may(ObjectAct::Remove, from.as_str()).await?;
        caller.may(ObjectAct::Write, to.as_str()).await?;
        let (metadata, _) = self.disk.get(&from).await?;
        self.access
            .note(&to, metadata.size, &metadata.content_type)
            .await?;
        self.disk.rename(&from, &to).await?;
        self.access.forget(&from).await?;
        Ok(answer_json(
            StatusCode::OK,
            &json!({ "message": "Successfully moved" }),
        ))
    }

    async fn list(&self, bucket: &str, request: Request<Incoming>) -> Result<Answer, Refusal> {
        #[derive(Deserialize)]
        struct Asked {
            #[serde(default)]
            prefix: String,
            cursor: Option<String>,
            limit: Option<usize>,
        }
        self.access.knows(bucket).await?;
        let caller = self.access.caller(request.headers())?;
        let asked: Asked = read(request).await?;
        let mut prefix = KeyPrefix::within(bucket, &asked.prefix).map_err(|_| Refusal::Key)?;
        let cursor = asked
            .cursor
            .map(|cursor| ObjectKey::within(bucket, &cursor))
            .transpose();
        let cursor: Option<ObjectKey> = cursor.map_err(|_| Refusal::Key)?;
        if caller.is_user() {
            prefix = prefix.of_one_owner().ok_or(Refusal::Denied)?;
            let folder = prefix.owner_folder().ok_or(Refusal::Denied)?;
            caller.may(ObjectAct::Read, folder).await?;
        }
        let limit = asked.limit.unwrap_or(1000).clamp(1, 1000);
        let listing = self.disk.list(&prefix, cursor.as_ref(), limit).await?;
        let objects = listing.objects.iter().map(|object| {
            json!({ "name": object.key, "key": object.key, "id": object.key, "updated_at": object.updated_at,
                "created_at": object.updated_at, "metadata": { "size": object.size } })
        });
        let objects: Vec<_> = objects.collect();
        Ok(answer_json(
            StatusCode::OK,
            &json!({ "hasNext": listing.cursor.is_some(), "nextCursor": listing.cursor, "folders": [], "objects": objects }),
        ))
    }
}

pub(super) async fn read<T: DeserializeOwned>(request: Request<Incoming>) -> Result<T, Refusal> {
    let body = Limited::new(request.into_body(), 1024 * 1024);
    let body: Bytes = body
        .collect()
        .await
        .map_err(|_| Refusal::Request)?
        .to_bytes();
    serde_json::from_slice(&body).map_err(|_| Refusal::Request)
}
