//! What a deployment is shown in the place of the page's session: a short-lived token of the operator, or the service key.

use std::time::{SystemTime, UNIX_EPOCH};

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::operator::Operator;

/// Long enough for the slowest request, too short to be of use to whoever finds it in a log.
const TOKEN_SECONDS: u64 = 60;

const API_KEY: HeaderName = HeaderName::from_static("apikey");
/// Believed by the database from the service role alone.
const ACTOR: HeaderName = HeaderName::from_static("x-gristmill-actor");
const ROLE: HeaderName = HeaderName::from_static("x-gristmill-console-role");

/// How the deployment is told who asks.
pub(crate) enum Credentials {
    /// Its secret signs a token of the operator for each request.
    Secret {
        secret: String,
        audience: String,
        /// Supabase wants its public key beside a token.
        api_key: Option<String>,
    },
    /// Without the secret: the service key, and headers that say for whom.
    ServiceKey(String),
}

/// A key that cannot stand in a header.
#[derive(Debug, thiserror::Error)]
#[error("{0} has characters that cannot be sent; copy it again")]
pub(crate) struct NotAKey(&'static str);

impl Credentials {
    pub(crate) fn show(&self, operator: &Operator, headers: &mut HeaderMap) -> Result<(), NotAKey> {
        match self {
            Self::Secret {
                secret,
                audience,
                api_key,
            } => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                let now = now.map_or(0, |since| since.as_secs());
                let claims = operator.claims(audience, now, TOKEN_SECONDS);
                let token = gristmill_token::sign(secret, &claims);
                headers.insert(AUTHORIZATION, secret_value(&format!("Bearer {token}"))?);
                if let Some(key) = api_key {
                    headers.insert(API_KEY, secret_value(key)?);
                }
            }
            Self::ServiceKey(key) => {
                headers.insert(AUTHORIZATION, secret_value(&format!("Bearer {key}"))?);
                headers.insert(API_KEY, secret_value(key)?);
                headers.insert(ACTOR, secret_value(&operator.actor)?);
                headers.insert(ROLE, HeaderValue::from_static(operator.role.name()));
            }
        }
        Ok(())
    }
}

fn secret_value(text: &str) -> Result<HeaderValue, NotAKey> {
    let mut value = HeaderValue::try_from(text).map_err(|_| NotAKey("the key"))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Role;
    use gristmill_token::Verifier;

    #[test]
    fn the_secret_signs_a_token_of_the_operator_for_each_request() {
        let credentials = Credentials::Secret {
            secret: "s".repeat(40),
            audience: "authenticated".to_owned(),
            api_key: Some("public".to_owned()),
        };
        let operator = Operator::of_this_machine(Role::Operator);
        let mut headers = HeaderMap::new();
        credentials.show(&operator, &mut headers).unwrap();
        let token = headers[AUTHORIZATION].to_str().unwrap();
        let token = token.strip_prefix("Bearer ").unwrap();
        let verifier = Verifier::new(
            Some(&"s".repeat(40)),
            None,
            Some("authenticated".to_owned()),
        );
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let claims = verifier.unwrap().verify(token, now.as_secs_f64()).unwrap();
        assert_eq!(claims.role.as_deref(), Some("authenticated"));
        assert_eq!(headers[API_KEY], "public");
        assert!(!headers.contains_key(ROLE));
    }

    #[test]
    fn the_service_key_says_for_whom_it_acts() {
        let operator = Operator::of_this_machine(Role::Viewer);
        let mut headers = HeaderMap::new();
        let credentials = Credentials::ServiceKey("service".to_owned());
        credentials.show(&operator, &mut headers).unwrap();
        assert_eq!(headers[AUTHORIZATION], "Bearer service");
        assert_eq!(headers[ROLE], "viewer");
        assert_eq!(headers[ACTOR], operator.actor);
    }
}
