//! Who may reach an object: the service everything, a user what Postgres says.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gristmill_files::{BUCKET, ObjectKey};
use gristmill_rpc::{ObjectAct, Rpc, RpcError};
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use serde_json::json;
use tokio::sync::Mutex;

use super::api::Refusal;
use gristmill_token::Verifier;

pub(super) struct Access {
    verifier: Verifier,
    rest_url: String,
    /// Signs the tokens that the stand-in itself shows to Postgres.
    secret: ring::hmac::Key,
    buckets: Mutex<Buckets>,
}

/// The buckets that Postgres named, and when.
#[derive(Default)]
struct Buckets {
    names: Vec<String>,
    asked_at: Option<Instant>,
}

/// How long a bucket that is not there is believed not to be there.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// How long a token of the stand-in's own is good for.
const TOKEN_SECONDS: u64 = 60;

/// Whoever sent a request.
pub(super) enum Caller {
    Service,
    User { rpc: Box<Rpc>, subject: String },
}

impl Access {
    pub(super) fn new(verifier: Verifier, rest_url: String, secret: &str) -> Self {
        Self {
            verifier,
            rest_url,
            secret: ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes()),
            buckets: Mutex::default(),
        }
    }

    /// Refuses a bucket that no application has.
    pub(super) async fn knows(&self, bucket: &str) -> Result<(), Refusal> {
        if bucket == BUCKET {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().await;
        let is_known = |buckets: &Buckets| buckets.names.iter().any(|name| name == bucket);
        let is_fresh = buckets.asked_at.is_some_and(|at| at.elapsed() < ASK_AGAIN);
        if !is_known(&buckets) && !is_fresh {
            buckets.names = self.service().storage_buckets().await.map_err(away)?;
            buckets.asked_at = Some(Instant::now());
        }
        match is_known(&buckets) {
            true => Ok(()),
            false => Err(Refusal::Bucket),
        }
    }

    /// Postgres has no `storage.objects` here. It hears of what lies in the buckets of applications before it is there.
    pub(super) async fn note(
        &self,
        key: &ObjectKey,
        size: u64,
        content_type: &str,
    ) -> Result<(), Refusal> {
        match key.bucket() {
            BUCKET => Ok(()),
            _ => match self
                .service()
                .note_object(key.as_str(), size, content_type)
                .await
            {
                Ok(true) => Ok(()),
                Ok(false) => Err(Refusal::Denied),
                Err(error) => Err(away(error)),
            },
        }
    }

    /// And of what is gone, once it is.
    pub(super) async fn forget(&self, key: &ObjectKey) -> Result<(), Refusal> {
        match key.bucket() {
            BUCKET => Ok(()),
            _ => self
                .service()
                .forget_object(key.as_str())
                .await
                .map(drop)
                .map_err(away),
        }
    }

    fn service(&self) -> Rpc {
        self.rpc_as(json!({ "role": "service_role" }))
    }

    /// A user whose token is not at hand: whoever has signed a link.
    pub(super) fn user(&self, subject: &str) -> Caller {
        Caller::User {
            rpc: Box::new(self.rpc_as(json!({ "role": "authenticated", "sub": subject }))),
            subject: subject.to_owned(),
        }
    }

    fn rpc_as(&self, mut claims: serde_json::Value) -> Rpc {
        claims["exp"] = (now() as u64 + TOKEN_SECONDS).into();
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = ring::hmac::sign(&self.secret, signed.as_bytes());
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature));
        Rpc::new(&self.rest_url, &token, &token)
    }

    pub(super) fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let value = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let token = value
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim())
            .ok_or(Refusal::Token)?;
        let claims = self
            .verifier
            .verify(token, now())
            .map_err(|_| Refusal::Token)?;
        match claims.role.as_deref() {
            Some("service_role") => Ok(Caller::Service),
            Some("authenticated") => {
                let subject = claims.subject.filter(|subject| is_user_id(subject));
                Ok(Caller::User {
                    rpc: Box::new(Rpc::new(&self.rest_url, token, token)),
                    subject: subject.ok_or(Refusal::Denied)?,
                })
            }
            _ => Err(Refusal::Denied),
        }
    }
}

impl Caller {
    pub(super) fn is_user(&self) -> bool {
        matches!(self, Self::User { .. })
    }

    /// The user's id.
    pub(super) fn subject(&self) -> Option<&str> {
        match self {
            Self::Service => None,
            Self::User { subject, .. } => Some(subject),
        }
    }

    /// The same rule as the policies that `sql/files/storage_policies.sql` gives a real Supabase.
    pub(super) async fn may(&self, act: ObjectAct, key: &str) -> Result<(), Refusal> {
        match self {
            Self::Service => Ok(()),
            Self::User { rpc, .. } => match ask(rpc, act, key).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(Refusal::Denied),
                Err(error) => {
                    tracing::warn!(%error, "Postgres could not say who may reach an object");
                    Err(Refusal::Away)
                }
            },
        }
    }
}

impl Caller {
    /// Asks once more when a body has arrived: what was allowed when it began may have ended meanwhile. Only a plain no counts. Where
    /// Postgres cannot be asked, or the token has expired, the first answer holds, because an upload is accepted whatever
    /// is down. Nothing is lost by that: a user replaces no object, and nothing is given out before it was scanned.
    pub(super) async fn still_may(&self, act: ObjectAct, key: &str) -> Result<(), Refusal> {
        match self {
            Self::Service => Ok(()),
            Self::User { rpc, .. } => match rpc.may_object(act, key).await {
                Ok(false) => Err(Refusal::Denied),
                Ok(true) => Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "an upload was not checked again at its end");
                    Ok(())
                }
            },
        }
    }
}

// Postgres knows users by such ids alone: any other it could only fail at.
fn is_user_id(subject: &str) -> bool {
    uuid::Uuid::try_parse(subject).is_ok_and(|id| id.to_string().eq_ignore_ascii_case(subject))
}

fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

fn away(error: RpcError) -> Refusal {
    tracing::warn!(%error, "Postgres could not be told of an object, or asked for the buckets");
    Refusal::Away
}

// The body has not been read yet: waiting for a Postgres that is busy costs nothing but time.
async fn ask(rpc: &Rpc, act: ObjectAct, key: &str) -> Result<bool, RpcError> {
    for pause in [50, 100, 200, 400, 800, 1600, 3200] {
        match rpc.may_object(act, key).await {
            Err(error) if error.is_passing() => {
                tokio::time::sleep(Duration::from_millis(pause)).await
            }
            ended => return ended,
        }
    }
    rpc.may_object(act, key).await
}
