//! On the wasm target: routing, signatures and their time, and an invocation that finds nothing to do.

use gristmill_trial::{SERVICE_KEY, ask, behaves, wants_a_signature};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

const INVOCATION: &str = r#"{"invocation": "01a1e273-88a8-7a97-9476-25074e8fc71c", "queue": "default", "batch": 5, "seconds": 20, "kinds": ["echo"]}"#;

#[wasm_bindgen_test]
async fn it_routes_and_wants_a_fresh_signature() {
    behaves(routes, "/").await;
    wants_a_signature(routes, "/", INVOCATION).await;
}

#[wasm_bindgen_test]
async fn a_signed_invocation_claims_with_the_key_of_the_service_under_a_name_of_its_own() {
    let asked = ask(Method::Post, "/").body(INVOCATION).signed(5);
    let answers = &[("/rpc/claim_jobs", 200, "[]")];
    let answer = asked.send(routes(), answers).await.unwrap();
    assert_eq!(
        (answer.status, answer.json()["claimed"].as_i64()),
        (200, Some(0))
    );
    let claim = &answer.calls.of("/rpc/claim_jobs")[0];
    assert_eq!(claim.authorization, format!("Bearer {SERVICE_KEY}"));
    assert!(
        claim
            .body
            .contains("edge-01a1e273-88a8-7a97-9476-25074e8fc71c"),
        "{}",
        claim.body
    );
}

#[wasm_bindgen_test]
async fn a_signed_body_that_is_no_invocation_claims_nothing() {
    let answer = ask(Method::Post, "/")
        .body("{}")
        .signed(0)
        .send(routes(), &[])
        .await
        .unwrap();
    assert_eq!(answer.refusal().1, "invalid_field");
    assert!(answer.calls.of("").is_empty());
}
