//! Standard Webhooks: is this request from our Postgres, and is it fresh?

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How far the sender's clock may be off, either way.
pub const TOLERANCE_SECONDS: i64 = 300;

/// The key that Postgres and the functions share. While it is changed there are several, separated by blanks: each of them is
/// accepted, and a message carries a signature of each, as Standard Webhooks means it.
pub struct Key(Vec<Vec<u8>>);

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
#[error("the signing key must be whsec_ followed by base64; several are separated by blanks")]
pub struct BadKey;

impl Key {
    /// Reads one key or several in the form of Standard Webhooks.
    pub fn parse(secret: &str) -> Result<Self, BadKey> {
        let keys = secret.split_whitespace().map(|one| {
            let encoded = one.strip_prefix("whsec_").ok_or(BadKey)?;
            STANDARD.decode(encoded).map_err(|_| BadKey)
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        match keys.is_empty() {
            true => Err(BadKey),
            false => Ok(Self(keys)),
        }
    }

    /// The signatures of a message, as its `webhook-signature` header carries them.
    pub fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> Result<String, Refused> {
        let signatures = self.macs(id, timestamp, body).map(|mac| {
            let signature = STANDARD.encode(mac?.finalize().into_bytes());
            Ok(format!("v1,{signature}"))
        });
        Ok(signatures.collect::<Result<Vec<_>, _>>()?.join(" "))
    }

    fn macs(
        &self,
        id: &str,
        timestamp: &str,
        body: &[u8],
    ) -> impl Iterator<Item = Result<Hmac<Sha256>, Refused>> {
        self.0.iter().map(move |key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| Refused::Forged)?;
            for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
                mac.update(part);
            }
            Ok(mac)
        })
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
        // Several signatures stand side by side while the sender changes its key.
        let signatures: Vec<Vec<u8>> = signatures
            .split(' ')
            .filter_map(|signature| signature.strip_prefix("v1,"))
            .filter_map(|encoded| STANDARD.decode(encoded).ok())
            .collect();
        for mac in self.macs(id, timestamp, body) {
            let mac = mac?;
            let is_mine = |one: &Vec<u8>| mac.clone().verify_slice(one).is_ok();
            if signatures.iter().any(is_mine) {
                return Ok(());
            }
        }
        Err(Refused::Forged)
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
    fn while_a_key_is_changed_either_is_accepted_and_both_sign() {
        let parse = |secret: &str| Key::parse(secret).unwrap();
        let other = "whsec_bmV3IGtleQ==";
        let both = parse(&format!("{other} {SECRET}"));
        let now = 1_614_265_330;
        assert_eq!(both.verify(ID, AT, GOOD, BODY, now), Ok(()));
        assert_eq!(
            parse(other).verify(ID, AT, GOOD, BODY, now),
            Err(Refused::Forged)
        );
        let signed = both.sign(ID, AT, BODY).unwrap();
        for receiver in [SECRET, other] {
            assert_eq!(parse(receiver).verify(ID, AT, &signed, BODY, now), Ok(()));
        }
        assert!(Key::parse(" ").is_err());
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
