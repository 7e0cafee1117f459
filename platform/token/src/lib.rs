//! JSON Web Tokens, verified: signature first, then claims. The gateway and the storage stand-in ask it who calls. The console signs some.

mod keys;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use keys::KeyError;
use keys::{Algorithm, Key, parse_set};

/// Clocks differ; PostgREST allows the same.
const LEEWAY_SECONDS: f64 = 30.0;

/// Why a token is refused, in PostgREST's words.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TokenError {
    /// No token at all.
    #[error("Empty JWT is sent in Authorization header")]
    Empty,
    /// Not header, payload and signature.
    #[error("Expected 3 parts in JWT; got {0}")]
    Parts(usize),
    /// Not base64url, or the signature is wrong.
    #[error("JWT cryptographic operation failed")]
    Undecodable,
    /// One that no key here is for.
    #[error("Wrong or unsupported encoding algorithm")]
    Algorithm,
    /// No key fits.
    #[error("No suitable key or wrong key type")]
    NoKey,
    /// Not a JSON object.
    #[error("Parsing claims failed")]
    Claims,
    /// `exp` has passed.
    #[error("JWT expired")]
    Expired,
    /// `nbf` is to come.
    #[error("JWT not yet valid")]
    NotYet,
    /// `iat` is to come.
    #[error("JWT issued at future")]
    IssuedInFuture,
    /// `aud` names somebody else.
    #[error("JWT not in audience")]
    Audience,
    /// A time that is none.
    #[error("The JWT '{0}' claim must be a number")]
    NotANumber(&'static str),
    /// An audience that is none.
    #[error("The JWT 'aud' claim must be a string or an array of strings")]
    AudienceForm,
    /// A role that cannot be switched to.
    #[error("The JWT 'role' claim must be the name of a role")]
    Role,
}

impl TokenError {
    /// PGRST301 for a token that cannot be trusted, PGRST303 for claims that do not hold.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty | Self::Parts(_) | Self::Undecodable | Self::Algorithm | Self::NoKey => {
                "PGRST301"
            }
            _ => "PGRST303",
        }
    }
}

/// What a verified token says.
#[derive(Debug)]
pub struct Claims {
    /// `role`, where the token has one.
    pub role: Option<String>,
    /// `sub`: the user that the token was given to.
    pub subject: Option<String>,
    /// All of them.
    pub json: ClaimsJson,
}

/// The claims' text: verbatim where it can be, so that Postgres sees every digit that was signed.
#[derive(Debug)]
pub enum ClaimsJson {
    /// As they were signed.
    Verbatim(String),
    /// Taken apart, because a role has to be added.
    WithoutRole(Map<String, Value>),
}

/// The claims with `role` among them, as `request.jwt.claims` shows them.
pub fn with_role(json: ClaimsJson, role: &str) -> String {
    match json {
        ClaimsJson::Verbatim(text) => text,
        ClaimsJson::WithoutRole(mut claims) => {
            claims.insert("role".into(), role.into());
            Value::Object(claims).to_string()
        }
    }
}

/// The keys and the audience that tokens are held against.
pub struct Verifier {
    keys: Vec<Key>,
    audience: Option<String>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<serde::de::IgnoredAny>,
}

impl Verifier {
    /// Secrets of HS256 separated by blanks, a JSON Web Key Set, or both; and the audience that every token must name.
    pub fn new(
        secret: Option<&str>,
        jwks: Option<&str>,
        audience: Option<String>,
    ) -> Result<Self, KeyError> {
        let mut keys = Vec::new();
        let secrets = secret.unwrap_or_default().split_whitespace();
        keys.extend(secrets.map(|secret| Key::secret(None, secret.as_bytes())));
        if let Some(json) = jwks {
            keys.extend(parse_set(json)?);
        }
        Ok(Self { keys, audience })
    }

    /// False when no token can ever be verified.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The claims of a token that holds at a time, in seconds since 1970.
    pub fn verify(&self, token: &str, now: f64) -> Result<Claims, TokenError> {
        if token.is_empty() {
            return Err(TokenError::Empty);
        }
        let parts: Vec<&str> = token.split('.').collect();
        let [header, payload, signature] = parts[..] else {
            return Err(TokenError::Parts(parts.len()));
        };
        let signed = &token.as_bytes()[..header.len() + 1 + payload.len()];
        let decode = |part: &str| {
            URL_SAFE_NO_PAD
                .decode(part)
                .map_err(|_| TokenError::Undecodable)
        };
        let header: Header =
            serde_json::from_slice(&decode(header)?).map_err(|_| TokenError::Undecodable)?;
        let algorithm = Algorithm::named(&header.alg).ok_or(TokenError::Algorithm)?;
        if header.crit.is_some() {
            // An extension that must be understood, and that we do not (RFC 7515, 4.1.11).
            return Err(TokenError::Algorithm);
        }
        let signature = decode(signature)?;
        let mut candidates = self
            .keys
            .iter()
            .filter(|key| key.fits(algorithm, header.kid.as_deref()));
        if !candidates.any(|key| key.verifies(signed, &signature)) {
            return Err(TokenError::NoKey);
        }
        self.claims(decode(payload)?, now)
    }

    fn claims(&self, payload: Vec<u8>, now: f64) -> Result<Claims, TokenError> {
        let text = String::from_utf8(payload).map_err(|_| TokenError::Claims)?;
        let claims: Map<String, Value> =
            serde_json::from_str(&text).map_err(|_| TokenError::Claims)?;
        check_times(&claims, now)?;
        self.check_audience(&claims)?;
        let subject = claims.get("sub").and_then(Value::as_str);
        let subject = subject.filter(|text| !text.is_empty()).map(str::to_owned);
        match claims.get("role") {
            None => Ok(Claims {
                role: None,
                subject,
                json: ClaimsJson::WithoutRole(claims),
            }),
            Some(Value::String(role)) if is_role_name(role) => Ok(Claims {
                role: Some(role.clone()),
                subject,
                json: ClaimsJson::Verbatim(text),
            }),
            Some(_) => Err(TokenError::Role),
        }
    }

    /// PostgREST lets a token without `aud` pass even when an audience is configured; we do not.
    fn check_audience(&self, claims: &Map<String, Value>) -> Result<(), TokenError> {
        let Some(expected) = &self.audience else {
            return Ok(());
        };
        let named = match claims.get("aud") {
            None | Some(Value::Null) => false,
            Some(Value::String(one)) => one == expected,
            Some(Value::Array(many)) if many.iter().all(Value::is_string) => {
                many.iter().any(|one| one.as_str() == Some(expected))
            }
            Some(_) => return Err(TokenError::AudienceForm),
        };
        named.then_some(()).ok_or(TokenError::Audience)
    }
}

fn check_times(claims: &Map<String, Value>, now: f64) -> Result<(), TokenError> {
    let time = |name: &'static str| match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or(TokenError::NotANumber(name)),
    };
    if time("exp")?.is_some_and(|expires| now > expires + LEEWAY_SECONDS) {
        return Err(TokenError::Expired);
    }
    if time("nbf")?.is_some_and(|starts| now + LEEWAY_SECONDS < starts) {
        return Err(TokenError::NotYet);
    }
    if time("iat")?.is_some_and(|issued| now + LEEWAY_SECONDS < issued) {
        return Err(TokenError::IssuedInFuture);
    }
    Ok(())
}

/// A token with those claims, signed with HS256. Of several secrets, separated by blanks, the first signs.
pub fn sign(secrets: &str, claims: &Value) -> String {
    let secret = secrets.split_whitespace().next().unwrap_or_default();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let payload = URL_SAFE_NO_PAD.encode(claims.to_string());
    let signed = format!("{header}.{payload}");
    let signature = ring::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// True for what can be switched to by name. `none` is SQL's word for the login role, and Postgres
/// cuts names at 63 bytes, so either would end in a role the token does not name.
pub fn is_role_name(role: &str) -> bool {
    !role.is_empty() && role != "none" && role.len() <= 63 && !role.contains('\0')
}

#[cfg(test)]
mod tests;
