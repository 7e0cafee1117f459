//! The Supabase Storage API, with the caller's own token: its policies decide.

use std::collections::HashMap;

use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::json;
use worker::wasm_bindgen::JsValue;
use worker::{Fetch, Headers, Method, Request, RequestInit, Response, ResponseBody};

use gristmill_files::{BUCKET, Listing, ObjectKey, StorageError};

use super::{Body, Found, Storage};
use crate::Config;
use gristmill_core::Problem;

/// The API's address and whose rights it is used with.
pub struct Supabase {
    url: String,
    api_key: String,
    token: String,
}

impl Supabase {
    pub(super) fn new(config: &Config, token: &str) -> Result<Self, Problem> {
        Ok(Self {
            url: config.storage_url()?,
            // A function that holds no anon key acts for the service alone.
            api_key: config
                .optional("SUPABASE_ANON_KEY")
                .unwrap_or_else(|| token.to_owned()),
            token: token.to_owned(),
        })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Option<JsValue>,
    ) -> Result<Response, StorageError> {
        let headers = Headers::new();
        for (name, value) in [
            ("authorization", format!("Bearer {}", self.token)),
            ("apikey", self.api_key.clone()),
            ("content-type", content_type.to_owned()),
        ] {
            headers.set(name, &value).map_err(away)?;
        }
        let mut init = RequestInit::new();
        init.with_method(method)
            .with_headers(headers)
            .with_body(body);
        let request =
            Request::new_with_init(&format!("{}{path}", self.url), &init).map_err(away)?;
        let mut response = Fetch::Request(request).send().await.map_err(away)?;
        match response.status_code() {
            200..=299 => Ok(response),
            status => Err(refused(status, &response.text().await.unwrap_or_default())),
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: serde_json::Value,
    ) -> Result<Response, StorageError> {
        self.send(
            method,
            path,
            "application/json",
            Some(body.to_string().into()),
        )
        .await
    }
}

// The API says 400 for much of it, with the status it means in the body.
fn refused(status: u16, body: &str) -> StorageError {
    #[derive(Deserialize, Default)]
    #[serde(default, rename_all = "camelCase")]
    struct Refusal {
        status_code: String,
        message: String,
    }
    let told: Refusal = serde_json::from_str(body).unwrap_or_default();
    match told.status_code.parse().unwrap_or(status) {
        404 => StorageError::NotFound,
        401 | 403 => StorageError::Denied,
        meant => StorageError::Away(format!("{meant} {}", told.message)),
    }
}

fn away(error: worker::Error) -> StorageError {
    StorageError::Away(error.to_string())
}

impl Storage for Supabase {
    async fn put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        body: Body,
    ) -> Result<(), StorageError> {
        let body = match body {
            Body::Bytes(bytes) => worker::js_sys::Uint8Array::from(bytes.as_slice()).into(),
            Body::Stream(stream) => match Response::from_stream(stream).map_err(away)?.body() {
                ResponseBody::Stream(stream) => stream.clone().into(),
                _ => return Err(StorageError::Body),
            },
        };
        let path = format!("/object/{}", key.path());
        self.send(Method::Post, &path, content_type, Some(body))
            .await
            .map(drop)
    }

    async fn get(&self, key: &ObjectKey) -> Result<Found, StorageError> {
        let path = format!("/object/authenticated/{}", key.path());
        let mut response = self
            .send(Method::Get, &path, "application/octet-stream", None)
            .await?;
        let header = |name| response.headers().get(name).ok().flatten();
        let size = header("content-length").and_then(|length| length.parse().ok());
        let content_type = header("content-type").unwrap_or_default();
        Ok(Found {
            stream: response.stream().map_err(away)?,
            size,
            content_type,
        })
    }

    async fn remove(&self, keys: &[ObjectKey]) -> Result<(), StorageError> {
        for run in keys.chunk_by(|key, next| key.bucket() == next.bucket()) {
            let names: Vec<&str> = run.iter().map(ObjectKey::name).collect();
            let path = format!("/object/{}", run[0].bucket());
            let asked = self.ask(Method::Delete, &path, json!({ "prefixes": names }));
            asked.await?;
        }
        Ok(())
    }

    async fn list(&self, prefix: &str, cursor: Option<&str>) -> Result<Listing, StorageError> {
        let path = format!("/object/list-v2/{BUCKET}");
        let asked = json!({ "prefix": prefix, "limit": 1000, "cursor": cursor });
        let mut answer = self.ask(Method::Post, &path, asked).await?;
        let answer = answer.bytes().await.map_err(away)?;
        Listing::from_supabase(&answer).map_err(|error| StorageError::Away(error.to_string()))
    }

    async fn sign(&self, key: &ObjectKey, seconds: u32) -> Result<String, StorageError> {
        #[derive(Deserialize)]
        struct Answer {
            #[serde(rename = "signedURL")]
            signed_url: String,
        }
        let path = format!("/object/sign/{}", key.path());
        let asked = self.ask(Method::Post, &path, json!({ "expiresIn": seconds }));
        let answer: Answer = asked.await?.json().await.map_err(away)?;
        Ok(format!("{}{}", self.url, answer.signed_url))
    }

    async fn sign_many(
        &self,
        keys: &[ObjectKey],
        seconds: u32,
    ) -> Result<Vec<Option<String>>, StorageError> {
        #[derive(Deserialize)]
        struct Signed {
            path: Option<String>,
            #[serde(rename = "signedURL")]
            signed_url: Option<String>,
        }
        let mut buckets: Vec<&str> = keys.iter().map(ObjectKey::bucket).collect();
        buckets.sort_unstable();
        buckets.dedup();
        let calls = buckets.into_iter().map(async |bucket| {
            let within = keys.iter().filter(|key| key.bucket() == bucket);
            let names: Vec<&str> = within.map(ObjectKey::name).collect();
            let asked = json!({ "expiresIn": seconds, "paths": names });
            let mut answer = self
                .ask(Method::Post, &format!("/object/sign/{bucket}"), asked)
                .await?;
            let signed: Vec<Signed> = answer.json().await.map_err(away)?;
            Ok::<_, StorageError>((bucket, signed))
        });
        let mut urls = HashMap::new();
        for (bucket, signed) in try_join_all(calls).await? {
            for one in signed {
                if let (Some(path), Some(url)) = (one.path, one.signed_url) {
                    urls.insert((bucket, path), format!("{}{url}", self.url));
                }
            }
        }
        let of = |key: &ObjectKey| urls.get(&(key.bucket(), key.name().to_owned())).cloned();
        Ok(keys.iter().map(of).collect())
    }
}
