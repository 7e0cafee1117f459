//! Signed links: a method, a key and an expiry under an HMAC.
//!
//! R2's binding cannot sign URLs, so the functions serve its objects themselves (`/objects?key=KEY` of `documents`).
//! Whoever holds FILES_SECRET signs: functions for people, the container worker for itself.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What a link allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Read one object.
    Get,
    /// Write one object.
    Put,
    /// Remove one object.
    Delete,
    /// See what lies below a prefix.
    List,
}

impl Right {
    const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Delete => "delete",
            Self::List => "list",
        }
    }
}

/// The link is forged, expired, or for something else: the three look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the link is not valid or has expired")]
pub struct Refused;

/// Makes and checks links.
#[derive(Clone)]
pub struct Signer(Vec<Vec<u8>>);

impl Signer {
    /// From the text of FILES_SECRET. Any text without blanks will do; its length is its strength. While the secret is changed there are several,
    /// separated by blanks: the first one signs, and links of every one are good.
    pub fn new(secrets: &str) -> Self {
        let each = secrets.split_whitespace();
        Self(each.map(|secret| secret.as_bytes().to_vec()).collect())
    }

    /// The query of a link: `expires=…&signature=…`.
    pub fn query(&self, right: Right, key: &str, expires_at: i64) -> String {
        let secret = self.0.first().map(Vec::as_slice).unwrap_or_default();
        let signature = mac(secret, right, key, expires_at).finalize();
        let signature = URL_SAFE_NO_PAD.encode(signature.into_bytes());
        format!("expires={expires_at}&signature={signature}")
    }

    /// Accepts what [`Signer::query`] made for this very right and key, until it expires.
    pub fn verify(
        &self,
        right: Right,
        key: &str,
        expires: &str,
        signature: &str,
        now: i64,
    ) -> Result<(), Refused> {
        let expires_at: i64 = expires.parse().map_err(|_| Refused)?;
        if expires_at < now {
            return Err(Refused);
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| Refused)?;
        let is_mine = |secret: &Vec<u8>| {
            let mac = mac(secret, right, key, expires_at);
            mac.verify_slice(&signature).is_ok()
        };
        match self.0.iter().any(is_mine) {
            true => Ok(()),
            false => Err(Refused),
        }
    }
}

fn mac(secret: &[u8], right: Right, key: &str, expires_at: i64) -> Hmac<Sha256> {
    // A key of any length is accepted: HMAC hashes what is longer than a block.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret)
        .unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default()));
    // No part can hold a line feed, so no two links have the same text.
    mac.update(format!("{}\n{key}\n{expires_at}", right.word()).as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(query: &str) -> (String, String) {
        let (expires, signature) = query.split_once('&').unwrap();
        (
            expires.replace("expires=", ""),
            signature.replace("signature=", ""),
        )
    }

    #[test]
    fn a_link_is_good_for_one_right_one_key_and_one_time() {
        let signer = Signer::new("a-secret-of-some-length");
        let (expires, signature) = parts(&signer.query(Right::Get, "a/b", 1000));
        let check =
            |right, key, expires: &str, now| signer.verify(right, key, expires, &signature, now);
        assert_eq!(check(Right::Get, "a/b", &expires, 999), Ok(()));
        assert_eq!(check(Right::Get, "a/b", &expires, 1001), Err(Refused));
        assert_eq!(check(Right::Delete, "a/b", &expires, 999), Err(Refused));
        assert_eq!(check(Right::Get, "a/c", &expires, 999), Err(Refused));
        assert_eq!(check(Right::Get, "a/b", "9999", 999), Err(Refused));
        let other =
            Signer::new("another-secret").verify(Right::Get, "a/b", &expires, &signature, 999);
        assert_eq!(other, Err(Refused));
    }

    #[test]
    fn while_the_secret_is_changed_the_first_signs_and_links_of_both_are_good() {
        let (old, new, both) = (
            Signer::new("old"),
            Signer::new("new"),
            Signer::new("new old"),
        );
        let is_good = |signer: &Signer, link: &str| {
            let (expires, signature) = parts(link);
            let verified = signer.verify(Right::Get, "a/b", &expires, &signature, 999);
            verified.is_ok()
        };
        let link = |signer: &Signer| signer.query(Right::Get, "a/b", 1000);
        assert!(is_good(&both, &link(&old)));
        assert!(is_good(&new, &link(&both)));
        assert!(!is_good(&new, &link(&old)));
        assert!(!is_good(&Signer::new(" "), &link(&Signer::new(""))));
    }
}
