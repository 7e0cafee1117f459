//! On the wasm target: routing, refusals, and how a job is started.

use gristmill_trial::{ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

const REFUSED: &str = r#"{"code": "GM001", "message": "there is no such workflow"}"#;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/v1/jobs").await;
    for path in ["/v1/jobs", "/api/jobs/start"] {
        wants_a_token(routes, Method::Post, path).await;
    }
    wants_a_token(
        routes,
        Method::Get,
        "/v1/jobs/01a1e273-88a8-7a97-9476-25074e8fc71c/events",
    )
    .await;
}

#[wasm_bindgen_test]
async fn an_order_that_is_none_is_refused_before_postgres_is_asked() {
    for (body, code) in [
        ("", "empty_body"),
        ("{]", "not_json"),
        (r#"{"type": 1}"#, "invalid_field"),
        (r#"{"type": "x", "params": 1}"#, "invalid_field"),
    ] {
        let answer = ask(Method::Post, "/v1/jobs")
            .by("user")
            .body(body)
            .send(routes(), &[])
            .await
            .unwrap();
        let (status, said) = answer.refusal();
        assert_eq!((status < 500, said.as_str()), (true, code), "{body}");
        assert!(answer.calls.of("").is_empty());
    }
}

#[wasm_bindgen_test]
async fn a_type_that_nobody_may_start_is_refused_in_the_words_of_postgres() {
    let asked = ask(Method::Post, "/v1/jobs")
        .by("user")
        .body(r#"{"type": "none", "params": {}}"#);
    let answer = asked
        .send(routes(), &[("/rpc/start_workflow", 400, REFUSED)])
        .await
        .unwrap();
    assert!((400..500).contains(&answer.status), "{}", answer.status);
    assert_eq!(
        answer.calls.of("/rpc/start_workflow")[0].authorization,
        "Bearer user"
    );
}
