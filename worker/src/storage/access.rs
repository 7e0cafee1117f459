//! Who may reach an object: the service everything, a user what Postgres says.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gristmill_shared::rpc::{ObjectAct, Rpc, RpcError};
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

use super::api::Refusal;
use crate::gateway::auth::Verifier;

pub(super) struct Access {
    verifier: Verifier,
    rest_url: String,
}

/// Whoever sent a request.
pub(super) enum Caller {
    Service,
    User(Box<Rpc>),
}

impl Access {
    pub(super) fn new(verifier: Verifier, rest_url: String) -> Self {
        Self { verifier, rest_url }
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
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        let claims = self
            .verifier
            .verify(token, now)
            .map_err(|_| Refusal::Token)?;
        match claims.role.as_deref() {
            Some("service_role") => Ok(Caller::Service),
            Some("authenticated") => {
                let rpc = Rpc::new(&self.rest_url, token, token);
                Ok(Caller::User(Box::new(rpc)))
            }
            _ => Err(Refusal::Denied),
        }
    }
}

impl Caller {
    pub(super) fn is_user(&self) -> bool {
        matches!(self, Self::User(_))
    }

    /// The same rule as the policies that `sql/files/storage_policies.sql` gives a real Supabase.
    pub(super) async fn may(&self, act: ObjectAct, key: &str) -> Result<(), Refusal> {
        match self {
            Self::Service => Ok(()),
            Self::User(rpc) => match ask(rpc, act, key).await {
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
            Self::User(rpc) => match rpc.may_object(act, key).await {
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
