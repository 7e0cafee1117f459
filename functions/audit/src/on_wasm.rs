//! On the wasm target: routing, refusals, the caller's own token.

use gristmill_trial::{ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/").await;
    wants_a_token(routes, Method::Post, "/").await;
    wants_a_token(routes, Method::Get, "/verify").await;
}

#[wasm_bindgen_test]
async fn an_event_that_is_none_is_refused_before_postgres_is_asked() {
    for (body, code) in [
        ("{", "not_json"),
        ("{}", "invalid_field"),
        (r#"{"table_name": "", "action": "x"}"#, "invalid_field"),
    ] {
        let answer = ask(Method::Post, "/")
            .by("user")
            .body(body)
            .send(routes(), &[])
            .await
            .unwrap();
        assert_eq!(answer.refusal().1, code);
        assert!(answer.calls.of("").is_empty());
    }
}

#[wasm_bindgen_test]
async fn an_event_goes_on_with_the_token_of_its_caller() {
    let asked = ask(Method::Post, "/")
        .by("user")
        .body(r#"{"table_name": "t", "action": "read"}"#);
    let answer = asked
        .send(routes(), &[("/rpc/log_audit_event", 200, "7")])
        .await
        .unwrap();
    assert_eq!(
        (answer.status, answer.json()["id"].as_i64()),
        (201, Some(7))
    );
    assert_eq!(
        answer.calls.of("/rpc/log_audit_event")[0].authorization,
        "Bearer user"
    );
}
