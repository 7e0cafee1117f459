//! Signed links: whoever holds one reads one object, for a while.

use chrono::Utc;
use futures_util::StreamExt;
use gristmill_files::ObjectKey;
use gristmill_files::link::Right;
use gristmill_native::serve::{Answer, json as answer_json};
use gristmill_rpc::ObjectAct;
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::{Request, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::access::Caller;
use super::api::{Api, Refusal, read};
use super::content;

/// The longest time that a link is good for: a week.
pub(super) const LONGEST_SECONDS: u32 = 7 * 24 * 60 * 60;

/// The most paths that one call signs.
const MOST_SIGNED: usize = 1000;

/// Of these, so many are asked about at once: each is a question to Postgres.
const SIGNED_AT_ONCE: usize = 16;

impl Api {
    // Each path is answered for itself: one that is missing, or another's, keeps no other from being signed.
    pub(super) async fn sign_many(
        &self,
        bucket: &str,
        request: Request<Incoming>,
    ) -> Result<Answer, Refusal> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Asked {
            expires_in: u32,
            paths: Vec<String>,
        }
        self.access.knows(bucket).await?;
        let caller = &self.access.caller(request.headers())?;
        let asked: Asked = read(request).await?;
        if asked.paths.len() > MOST_SIGNED {
            return Err(Refusal::Request);
        }
        let seconds = bounded(asked.expires_in)?;
        let signed = asked.paths.clone().into_iter().map(|name| async move {
            let key = ObjectKey::within(bucket, &name).map_err(|_| Refusal::Key)?;
            caller.may(ObjectAct::Read, key.as_str()).await?;
            self.disk.get(&key).await?;
            Ok::<_, Refusal>(self.signed_url(&key, caller, seconds))
        });
        let signed: Vec<_> = futures_util::stream::iter(signed)
            .buffered(SIGNED_AT_ONCE)
            .collect()
            .await;
        let answers = asked.paths.iter().zip(signed).map(|(path, signed)| match signed {
            Ok(url) => json!({ "error": null, "path": path, "signedURL": url }),
            Err(_) => json!({ "error": "Either the object does not exist or you do not have access to it", "path": path, "signedURL": null }),
        });
        Ok(answer_json(StatusCode::OK, &answers.collect()))
    }

    pub(super) async fn sign(
        &self,
        key: ObjectKey,
        request: Request<Incoming>,
    ) -> Result<Answer, Refusal> {
        #[derive(Deserialize)]
        struct Asked {
            #[serde(rename = "expiresIn")]
            expires_in: u32,
        }
        let caller = self.access.caller(request.headers())?;
        caller.may(ObjectAct::Read, key.as_str()).await?;
        let asked: Asked = read(request).await?;
        let seconds = bounded(asked.expires_in)?;
        self.disk.get(&key).await?;
        Ok(answer_json(
            StatusCode::OK,
            &json!({ "signedURL": self.signed_url(&key, &caller, seconds) }),
        ))
    }

    fn signed_url(&self, key: &ObjectKey, caller: &Caller, seconds: u32) -> String {
        let expires_at = Utc::now().timestamp() + i64::from(seconds);
        let signed = signed(key, caller.subject());
        let query = self.signer.query(Right::Get, &signed, expires_at);
        let mut token = query.replace("expires=", "").replace("&signature=", ".");
        if let Some(user) = caller.subject() {
            token = format!("{token}.{user}");
        }
        format!("/object/sign/{}?token={token}", key.path())
    }

    pub(super) async fn get_signed(
        &self,
        key: ObjectKey,
        request: &Request<Incoming>,
    ) -> Result<Answer, Refusal> {
        let query = request.uri().query().unwrap_or_default();
        let token = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token");
        let token = token.ok_or(Refusal::Token)?.1;
        let (expires, rest) = token.split_once('.').ok_or(Refusal::Token)?;
        let (signature, user) = match rest.split_once('.') {
            Some((signature, user)) => (signature, Some(user)),
            None => (rest, None),
        };
        let now = Utc::now().timestamp();
        self.signer
            .verify(Right::Get, &signed(&key, user), expires, signature, now)
            .map_err(|_| Refusal::Token)?;
        // A link reaches what its signer reaches now: what was granted then may have been taken back.
        if let Some(user) = user {
            let caller = self.access.user(user);
            caller
                .may(ObjectAct::Read, key.as_str())
                .await
                .map_err(|refusal| match refusal {
                    Refusal::Denied => Refusal::Token,
                    other => other,
                })?;
        }
        let name = content::saved_as(Some(query));
        let mut answer = self.content(&key, request.headers(), name).await?;
        // Whoever has the link may read: also a page that a redirect has brought here, whose origin browsers then send as null.
        let anyone = HeaderValue::from_static("*");
        answer
            .headers_mut()
            .insert("access-control-allow-origin", anyone);
        answer.headers_mut().insert(
            "access-control-expose-headers",
            HeaderValue::from_static(gristmill_core::cors::READ),
        );
        Ok(answer)
    }
}

fn bounded(seconds: u32) -> Result<u32, Refusal> {
    match seconds > LONGEST_SECONDS {
        true => Err(Refusal::TooLong),
        false => Ok(seconds),
    }
}

// No key holds a control character, so a user's link is never good as a link of the service.
fn signed(key: &ObjectKey, user: Option<&str>) -> String {
    match user {
        Some(user) => format!("{}\u{1f}{user}", key.as_str()),
        None => key.as_str().to_owned(),
    }
}
