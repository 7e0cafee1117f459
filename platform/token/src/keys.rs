//! The keys tokens are verified with. A key knows its one algorithm; a token cannot choose another.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

/// Why a key set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Not JSON of the expected form.
    #[error("the JWKS is not a JSON object with a list of keys")]
    Form(#[source] serde_json::Error),
    /// A key's numbers are missing or not base64url.
    #[error("key {0} of the JWKS lacks a parameter or is not base64url")]
    Parameter(usize),
    /// RSA below 2048 bits can be factored.
    #[error("key {0} of the JWKS is an RSA key below 2048 bits")]
    SmallRsa(usize),
    /// Nothing left to verify with.
    #[error("the JWKS holds no key for RS256, ES256 or HS256 signatures")]
    Empty,
}

/// The algorithms accepted, each bound to one kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Hs256,
    Rs256,
    Es256,
}

impl Algorithm {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "HS256" => Some(Self::Hs256),
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            _ => None,
        }
    }
}

/// One key, its id if it has one.
pub(super) struct Key {
    id: Option<String>,
    material: Material,
}

enum Material {
    Secret(ring::hmac::Key),
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(UnparsedPublicKey<Vec<u8>>),
}

impl Key {
    pub(super) fn secret(id: Option<String>, secret: &[u8]) -> Self {
        let material = Material::Secret(ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret));
        Self { id, material }
    }

    /// A token that names a key id is only tried against that key, or against keys without id.
    pub(super) fn fits(&self, algorithm: Algorithm, id: Option<&str>) -> bool {
        let named_otherwise =
            matches!((&self.id, id), (Some(mine), Some(theirs)) if mine != theirs);
        self.algorithm() == algorithm && !named_otherwise
    }

    pub(super) fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        match &self.material {
            Material::Secret(key) => ring::hmac::verify(key, signed, signature).is_ok(),
            Material::Rsa { n, e } => RsaPublicKeyComponents { n, e }
                .verify(&signature::RSA_PKCS1_2048_8192_SHA256, signed, signature)
                .is_ok(),
            Material::P256(key) => key.verify(signed, signature).is_ok(),
        }
    }

    fn algorithm(&self) -> Algorithm {
        match self.material {
            Material::Secret(_) => Algorithm::Hs256,
            Material::Rsa { .. } => Algorithm::Rs256,
            Material::P256(_) => Algorithm::Es256,
        }
    }
}

#[derive(Deserialize)]
struct Set {
    keys: Vec<Jwk>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    k: Option<String>,
}

/// Reads a JSON Web Key Set. Keys of other kinds (encryption, other curves) are passed over, as a
/// set is often shared with other readers.
pub(super) fn parse_set(json: &str) -> Result<Vec<Key>, KeyError> {
    let set: Set = serde_json::from_str(json).map_err(KeyError::Form)?;
    let mut keys = Vec::new();
    for (index, jwk) in set.keys.into_iter().enumerate() {
        keys.extend(parse_key(jwk, index)?);
    }
    if keys.is_empty() {
        return Err(KeyError::Empty);
    }
    Ok(keys)
}

fn parse_key(jwk: Jwk, index: usize) -> Result<Option<Key>, KeyError> {
    let bytes = |parameter: Option<&String>| {
        parameter
            .and_then(|text| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok())
            .ok_or(KeyError::Parameter(index))
    };
    let is_for = |algorithm: &str| jwk.alg.as_deref().is_none_or(|alg| alg == algorithm);
    if jwk.usage.as_deref().is_some_and(|usage| usage != "sig") {
        return Ok(None);
    }
    let material = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) if is_for("RS256") => {
            let (n, e) = (bytes(jwk.n.as_ref())?, bytes(jwk.e.as_ref())?);
            let significant = n.iter().skip_while(|byte| **byte == 0).count();
            if significant < 256 {
                return Err(KeyError::SmallRsa(index));
            }
            // ring wants numbers without leading zeros.
            let n = n[n.len() - significant..].to_vec();
            Material::Rsa { n, e }
        }
        ("EC", Some("P-256")) if is_for("ES256") => {
            let mut point = vec![4]; // uncompressed
            point.extend(bytes(jwk.x.as_ref())?);
            point.extend(bytes(jwk.y.as_ref())?);
            if point.len() != 65 {
                return Err(KeyError::Parameter(index));
            }
            Material::P256(UnparsedPublicKey::new(
                &signature::ECDSA_P256_SHA256_FIXED,
                point,
            ))
        }
        ("oct", _) if is_for("HS256") => {
            let secret = bytes(jwk.k.as_ref())?;
            return Ok(Some(Key::secret(jwk.kid, &secret)));
        }
        _ => return Ok(None),
    };
    let id = jwk.kid;
    Ok(Some(Key { id, material }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_without_a_usable_key_is_refused() {
        let encryption = r#"{"keys":[{"kty":"RSA","use":"enc","n":"AQ","e":"AQ"}]}"#;
        assert!(matches!(parse_set(encryption), Err(KeyError::Empty)));
        assert!(matches!(parse_set("[]"), Err(KeyError::Form(_))));
    }

    #[test]
    fn an_rsa_key_below_2048_bits_is_refused() {
        let small = format!(
            r#"{{"keys":[{{"kty":"RSA","n":"{}","e":"AQAB"}}]}}"#,
            URL_SAFE_NO_PAD.encode([0xff; 128])
        );
        assert!(matches!(parse_set(&small), Err(KeyError::SmallRsa(0))));
    }

    #[test]
    fn a_key_fits_only_its_own_algorithm_and_id() {
        let key = Key::secret(Some("a".into()), b"s");
        assert!(key.fits(Algorithm::Hs256, Some("a")));
        assert!(key.fits(Algorithm::Hs256, None));
        assert!(!key.fits(Algorithm::Hs256, Some("../../dev/null")));
        assert!(!key.fits(Algorithm::Rs256, Some("a")));
    }
}
