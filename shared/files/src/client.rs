//! The container worker's way to objects: the Supabase Storage API with the service key, or, where files lie in
//! R2, signed links of the function `documents`. R2's own S3 API would need a third set of keys.

use std::time::Duration;

use crate::link::{Right, Signer};
use crate::{BUCKET, Listing, ObjectKey};
use bytes::Bytes;
use chrono::Utc;
use futures_util::{Stream, StreamExt};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde::Deserialize;
use serde_json::json;

/// Links are used at once.
const LINK_SECONDS: i64 = 300;

/// Why an object could not be had or stored.
#[derive(Debug, thiserror::Error)]
pub enum ObjectsError {
    /// There is no such object.
    #[error("there is no such object")]
    NotFound,
    /// The key or the secret is wrong.
    #[error("the object store refused the worker: {0}")]
    Denied(String),
    /// It cannot be reached, or fails: worth another try.
    #[error("the object store does not answer: {0}")]
    Away(String),
    /// It is larger than the caller wants.
    #[error("the object has more than {0} bytes")]
    TooLarge(u64),
    /// The folder it was to be written to fails.
    #[error("the object could not be written to disk")]
    Disk(#[from] std::io::Error),
}

/// Objects, with the rights of the service.
pub struct Objects {
    client: Client,
    way: Way,
}

enum Way {
    Supabase { url: String, key: String },
    Links { url: String, signer: Signer },
}

impl Objects {
    /// By the Supabase Storage API; `url` is the project's.
    pub fn supabase(url: &str, service_key: &str) -> Self {
        let url = format!("{}/storage/v1", url.trim_end_matches('/'));
        Self::new(Way::Supabase {
            url,
            key: service_key.to_owned(),
        })
    }

    /// By signed links of the function at `url`.
    pub fn links(url: &str, secret: &str) -> Self {
        let url = url.trim_end_matches('/').to_owned();
        Self::new(Way::Links {
            url,
            signer: Signer::new(secret),
        })
    }

    fn new(way: Way) -> Self {
        let client = Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_secs(120))
            .build()
            .unwrap_or_default();
        Self { client, way }
    }

    /// Stores an object; replaces one that is there.
    pub async fn put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        body: impl Into<reqwest::Body>,
    ) -> Result<(), ObjectsError> {
        let request = self
            .request(Method::POST, Right::Put, key)
            .header("content-type", content_type);
        send(request.header("x-upsert", "true").body(body))
            .await
            .map(drop)
    }

    /// The whole object, when it has at most `limit` bytes.
    pub async fn get(&self, key: &ObjectKey, limit: u64) -> Result<Vec<u8>, ObjectsError> {
        let mut stream = Box::pin(self.open(key).await?);
        let mut bytes = Vec::new();
        while let Some(chunk) = stream.next().await {
            bytes.extend_from_slice(&chunk?);
            if bytes.len() as u64 > limit {
                return Err(ObjectsError::TooLarge(limit));
            }
        }
        Ok(bytes)
    }

    /// The object as it arrives.
    pub async fn open(
        &self,
        key: &ObjectKey,
    ) -> Result<impl Stream<Item = Result<Bytes, ObjectsError>> + use<>, ObjectsError> {
        let response = send(self.request(Method::GET, Right::Get, key)).await?;
        Ok(response.bytes_stream().map(|chunk| chunk.map_err(away)))
    }

    /// Removes objects; one that is not there is no error.
    pub async fn remove(&self, keys: &[ObjectKey]) -> Result<(), ObjectsError> {
        for key in keys {
            match send(self.request(Method::DELETE, Right::Delete, key)).await {
                Ok(_) | Err(ObjectsError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What lies below a prefix, or `bucket:prefix`, a part at a time. The keys that are found are those within the bucket.
    pub async fn list(&self, prefix: &str, cursor: Option<&str>) -> Result<Listing, ObjectsError> {
        let bad = |error: serde_json::Error| ObjectsError::Away(error.to_string());
        let (bucket, prefix) = prefix.split_once(':').unwrap_or((BUCKET, prefix));
        match &self.way {
            Way::Supabase { url, key } => {
                let asked = json!({ "prefix": prefix, "limit": 1000, "cursor": cursor });
                let request = self
                    .client
                    .post(format!("{url}/object/list-v2/{bucket}"))
                    .body(asked.to_string());
                let request = request
                    .header("content-type", "application/json")
                    .bearer_auth(key)
                    .header("apikey", key);
                let answer = send(request).await?.bytes().await.map_err(away)?;
                Listing::from_supabase(&answer).map_err(bad)
            }
            Way::Links { url, signer } => {
                let query =
                    signer.query(Right::List, prefix, Utc::now().timestamp() + LINK_SECONDS);
                let mut request = self
                    .client
                    .get(format!("{url}/objects?{query}"))
                    .query(&[("prefix", prefix)]);
                if let Some(cursor) = cursor {
                    request = request.query(&[("cursor", cursor)]);
                }
                let answer = send(request).await?.bytes().await.map_err(away)?;
                serde_json::from_slice(&answer).map_err(bad)
            }
        }
    }

    /// A URL that reads the object for some seconds, without a token.
    pub async fn sign(&self, key: &ObjectKey, seconds: u32) -> Result<String, ObjectsError> {
        #[derive(Deserialize)]
        struct Answer {
            #[serde(rename = "signedURL")]
            signed_url: String,
        }
        match &self.way {
            Way::Supabase { url, key: service } => {
                let request = self
                    .client
                    .post(format!("{url}/object/sign/{}", key.path()));
                let request = request.bearer_auth(service).header("apikey", service);
                let request = request
                    .header("content-type", "application/json")
                    .body(json!({ "expiresIn": seconds }).to_string());
                let answer = send(request).await?.bytes().await.map_err(away)?;
                let answer: Answer = serde_json::from_slice(&answer)
                    .map_err(|error| ObjectsError::Away(error.to_string()))?;
                Ok(format!("{url}{}", answer.signed_url))
            }
            Way::Links { url, signer } => {
                let query = signer.query(
                    Right::Get,
                    key.as_str(),
                    Utc::now().timestamp() + i64::from(seconds),
                );
                Ok(format!("{url}/objects?key={key}&{query}"))
            }
        }
    }

    fn request(&self, method: Method, right: Right, key: &ObjectKey) -> RequestBuilder {
        match &self.way {
            Way::Supabase { url, key: service } => {
                let request = self
                    .client
                    .request(method, format!("{url}/object/{}", key.path()));
                request.bearer_auth(service).header("apikey", service)
            }
            Way::Links { url, signer } => {
                let query =
                    signer.query(right, key.as_str(), Utc::now().timestamp() + LINK_SECONDS);
                self.client
                    .request(method, format!("{url}/objects?key={key}&{query}"))
            }
        }
    }
}

// The URL may carry a signature and is not repeated.
fn away(error: reqwest::Error) -> ObjectsError {
    ObjectsError::Away(error.without_url().to_string())
}

async fn send(request: RequestBuilder) -> Result<Response, ObjectsError> {
    #[derive(Deserialize, Default)]
    #[serde(default, rename_all = "camelCase")]
    struct Refusal {
        status_code: String,
        message: String,
    }
    let response = request.send().await.map_err(away)?;
    let status = response.status().as_u16();
    if (200..300).contains(&status) {
        return Ok(response);
    }
    // Supabase says 400 for much of it, with the status it means in the body.
    let body = response.bytes().await.unwrap_or_default();
    let told: Refusal = serde_json::from_slice(&body).unwrap_or_default();
    Err(match told.status_code.parse().unwrap_or(status) {
        404 => ObjectsError::NotFound,
        401 | 403 => ObjectsError::Denied(told.message),
        meant => ObjectsError::Away(format!("{meant} {}", told.message)),
    })
}
