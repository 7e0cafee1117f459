//! On the wasm target: routing, signatures and their time, the token of the service.

use gristmill_trial::{SERVICE_KEY, ask, behaves, wants_a_signature};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

#[wasm_bindgen_test]
async fn it_routes_and_wants_a_fresh_signature() {
    behaves(routes, "/").await;
    wants_a_signature(routes, "/", r#"{"reason": "schedule"}"#).await;
}

#[wasm_bindgen_test]
async fn a_signed_run_asks_for_the_steps_with_the_key_of_the_service() {
    let asked = ask(Method::Post, "/")
        .body(r#"{"reason": "schedule"}"#)
        .signed(5);
    let answer = asked
        .send(routes(), &[("/rpc/cleanup_steps", 200, "[]")])
        .await
        .unwrap();
    assert_eq!(answer.status, 200, "{:?}", answer.json());
    assert_eq!(
        answer.calls.of("/rpc/cleanup_steps")[0].authorization,
        format!("Bearer {SERVICE_KEY}")
    );
}

#[wasm_bindgen_test]
async fn expired_exports_are_removed_for_the_service_and_for_nobody_else() {
    let asked = || {
        ask(Method::Post, "/")
            .binding("FUNCTION_NAME", "cleanup-exports")
            .body("{}")
    };
    let stranger = asked().by("another").send(routes(), &[]).await.unwrap();
    assert_eq!(stranger.refusal().1, "bad_signature");
    let service = asked().by(SERVICE_KEY).send(routes(), &[]).await.unwrap();
    assert_ne!(service.refusal().1, "bad_signature");
    assert!(!service.calls.of("").is_empty());
}
