use super::*;

const SECRET: &str = "q3vI2n0wJp7Zr8yKd5Lx1Tb4Mf6Gc9Ha";
const NOW: f64 = 1_700_000_000.0;

fn sign(header: &str, payload: &str, secret: &str) -> String {
    let signed = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header),
        URL_SAFE_NO_PAD.encode(payload)
    );
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let tag = ring::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag))
}

fn hs256(payload: &str) -> String {
    sign(r#"{"alg":"HS256"}"#, payload, SECRET)
}

fn verify(token: &str) -> Result<Claims, TokenError> {
    Verifier::new(Some(SECRET), None, None)
        .unwrap()
        .verify(token, NOW)
}

#[test]
fn a_signed_token_gives_its_role_and_its_claims_verbatim() {
    let claims = verify(&hs256(r#"{"role":"a","n":12345678901234567890123}"#)).unwrap();
    assert_eq!(claims.role.as_deref(), Some("a"));
    assert_eq!(
        with_role(claims.json, "a"),
        r#"{"role":"a","n":12345678901234567890123}"#
    );
}

#[test]
fn a_token_without_role_is_given_one() {
    let claims = verify(&hs256(r#"{"sub":"u"}"#)).unwrap();
    assert_eq!(
        with_role(claims.json, "anon"),
        r#"{"role":"anon","sub":"u"}"#
    );
}

#[test]
fn alg_none_and_unpinned_algorithms_are_refused() {
    for alg in ["none", "None", "NONE", "HS512", "hs256", "PS256", ""] {
        let token = sign(&format!(r#"{{"alg":"{alg}"}}"#), "{}", SECRET);
        assert_eq!(verify(&token).unwrap_err(), TokenError::Algorithm, "{alg}");
    }
}

#[test]
fn a_token_signed_with_another_secret_is_refused() {
    let token = sign(r#"{"alg":"HS256"}"#, "{}", "another");
    assert_eq!(verify(&token).unwrap_err(), TokenError::NoKey);
}

#[test]
fn hs256_is_never_checked_against_a_public_key() {
    let jwks = r#"{"keys":[{"kty":"EC","crv":"P-256",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;
    let verifier = Verifier::new(None, Some(jwks), None).unwrap();
    let token = sign(r#"{"alg":"HS256"}"#, "{}", jwks);
    assert_eq!(verifier.verify(&token, NOW).unwrap_err(), TokenError::NoKey);
}

#[test]
fn critical_extensions_are_refused() {
    let token = sign(r#"{"alg":"HS256","crit":["exp"]}"#, "{}", SECRET);
    assert_eq!(verify(&token).unwrap_err(), TokenError::Algorithm);
}

#[test]
fn malformed_tokens_are_named_as_such() {
    assert_eq!(verify("").unwrap_err(), TokenError::Empty);
    assert_eq!(verify("zzz").unwrap_err(), TokenError::Parts(1));
    assert_eq!(verify("a.b.c.d").unwrap_err(), TokenError::Parts(4));
    assert_eq!(verify("!.!.!").unwrap_err(), TokenError::Undecodable);
    assert_eq!(verify(&hs256("[]")).unwrap_err(), TokenError::Claims);
}

#[test]
fn times_are_held_to_with_thirty_seconds_of_leeway() {
    let at = |claim: &str, offset: f64| {
        verify(&hs256(&format!(r#"{{"{claim}":{}}}"#, NOW + offset))).map(|_| ())
    };
    assert_eq!(at("exp", -29.0), Ok(()));
    assert_eq!(at("exp", -31.0), Err(TokenError::Expired));
    assert_eq!(at("nbf", 29.0), Ok(()));
    assert_eq!(at("nbf", 31.0), Err(TokenError::NotYet));
    assert_eq!(at("iat", 31.0), Err(TokenError::IssuedInFuture));
    let text = verify(&hs256(r#"{"exp":"tomorrow"}"#)).unwrap_err();
    assert_eq!(text, TokenError::NotANumber("exp"));
}

#[test]
fn a_configured_audience_must_be_named() {
    let verifier = Verifier::new(Some(SECRET), None, Some("app".into())).unwrap();
    let aud = |payload: &str| verifier.verify(&hs256(payload), NOW).map(|_| ());
    assert_eq!(aud(r#"{"aud":"app"}"#), Ok(()));
    assert_eq!(aud(r#"{"aud":["x","app"]}"#), Ok(()));
    assert_eq!(aud(r#"{"aud":"other"}"#), Err(TokenError::Audience));
    assert_eq!(aud("{}"), Err(TokenError::Audience));
    assert_eq!(aud(r#"{"aud":[]}"#), Err(TokenError::Audience));
    assert_eq!(aud(r#"{"aud":{"a":1}}"#), Err(TokenError::AudienceForm));
}

#[test]
fn a_role_that_is_not_a_name_is_refused() {
    for role in ["\"none\"", "\"\"", "1", "[\"a\"]", "\"a\\u0000b\""] {
        let token = hs256(&format!(r#"{{"role":{role}}}"#));
        assert_eq!(verify(&token).unwrap_err(), TokenError::Role, "{role}");
    }
}

#[test]
fn none_and_overlong_names_are_never_a_role() {
    assert!(is_role_name("authenticated"));
    assert!(!is_role_name("none"));
    assert!(!is_role_name(""));
    assert!(!is_role_name(&"x".repeat(64)));
    assert!(!is_role_name("a\0b"));
}

#[test]
fn what_is_signed_here_is_believed_here() {
    let claims = serde_json::json!({ "role": "authenticated", "sub": "1" });
    let token = super::sign(&format!("{SECRET} another"), &claims);
    let verified = verify(&token).unwrap();
    assert_eq!(verified.role.as_deref(), Some("authenticated"));
    assert_eq!(verified.subject.as_deref(), Some("1"));
}
