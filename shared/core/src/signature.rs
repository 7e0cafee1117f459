//! Standard Webhooks: is this request from our Postgres, and is it fresh?

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How far the sender's clock may be off, either way.
pub const TOLERANCE_SECONDS: i64 = 300;

/// The key that Postgres and the functions share.
pub struct Key(Vec<u8>);

/// Why a signature was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A header is missing or malformed.
    #[error("a webhook header is missing or malformed")]
    Malformed,
    /// The timestamp is outside the tolerance.
    #[error("the timestamp is more than {TOLERANCE_SECONDS} s off")]
    Stale,
    /// No signature matches.
    #[error("no signature matches")]
    Forged,
}

/// The key is not `whsec_` followed by base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signing key must be whsec_ followed by base64")]
pub struct BadKey;

impl Key {
    /// Reads a key in the form of Standard Webhooks.
    pub fn parse(secret: &str) -> Result<Self, BadKey> {
        let encoded = secret.strip_prefix("whsec_").ok_or(BadKey)?;
        STANDARD.decode(encoded).map(Self).map_err(|_| BadKey)
    }

    /// The signature of a message, as its `webhook-signature` header carries it.
    pub fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> Result<String, Refused> {
        let mac = self.mac(id, timestamp, body)?;
        Ok(format!(
            "v1,{}",
            STANDARD.encode(mac.finalize().into_bytes())
        ))
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Result<Hmac<Sha256>, Refused> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(|_| Refused::Forged)?;
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        Ok(mac)
    }

    /// Accepts a body whose headers carry a fresh signature of it.
    pub fn verify(
        &self,
        id: &str,
        timestamp: &str,
        signatures: &str,
        body: &[u8],
        now_seconds: i64,
    ) -> Result<(), Refused> {
        let sent: i64 = timestamp.parse().map_err(|_| Refused::Malformed)?;
        if now_seconds.abs_diff(sent) > TOLERANCE_SECONDS.unsigned_abs() {
            return Err(Refused::Stale);
        }
        let mac = self.mac(id, timestamp, body)?;
        // Several signatures stand side by side while a key is being rotated.
        signatures
            .split(' ')
            .filter_map(|signature| signature.strip_prefix("v1,"))
            .filter_map(|encoded| STANDARD.decode(encoded).ok())
            .any(|signature| mac.clone().verify_slice(&signature).is_ok())
            .then_some(())
            .ok_or(Refused::Forged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of the Standard Webhooks specification's reference libraries.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const AT: &str = "1614265330";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const GOOD: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn verify(id: &str, at: &str, signature: &str, body: &[u8], now: i64) -> Result<(), Refused> {
        Key::parse(SECRET)
            .unwrap()
            .verify(id, at, signature, body, now)
    }

    #[test]
    fn the_reference_signature_is_accepted() {
        assert_eq!(verify(ID, AT, GOOD, BODY, 1_614_265_330), Ok(()));
        assert_eq!(
            verify(ID, AT, &format!("v1,AAAA {GOOD}"), BODY, 1_614_265_330),
            Ok(())
        );
    }

    #[test]
    fn what_is_signed_is_the_reference_signature() {
        assert_eq!(
            Key::parse(SECRET).unwrap().sign(ID, AT, BODY).as_deref(),
            Ok(GOOD)
        );
    }

    #[test]
    fn any_changed_part_is_refused() {
        let now = 1_614_265_330;
        assert_eq!(verify("other", AT, GOOD, BODY, now), Err(Refused::Forged));
        assert_eq!(
            verify(ID, "1614265331", GOOD, BODY, now),
            Err(Refused::Forged)
        );
        assert_eq!(verify(ID, AT, GOOD, b"{}", now), Err(Refused::Forged));
        assert_eq!(verify(ID, AT, "v1,", BODY, now), Err(Refused::Forged));
        assert_eq!(verify(ID, AT, "", BODY, now), Err(Refused::Forged));
    }

    #[test]
    fn an_old_or_future_request_is_refused() {
        assert_eq!(
            verify(ID, AT, GOOD, BODY, 1_614_265_330 + 301),
            Err(Refused::Stale)
        );
        assert_eq!(
            verify(ID, AT, GOOD, BODY, 1_614_265_330 - 301),
            Err(Refused::Stale)
        );
        assert_eq!(verify(ID, "soon", GOOD, BODY, 0), Err(Refused::Malformed));
        assert_eq!(
            verify(ID, "-9223372036854775808", GOOD, BODY, i64::MAX),
            Err(Refused::Stale)
        );
    }
}
