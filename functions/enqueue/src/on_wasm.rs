//! On the wasm target: routing, refusals, a job's whole way in, and what is said while Postgres is away.

use gristmill_trial::{ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

const JOB: &str = r#"{"kind": "echo", "payload": {"a": 1}}"#;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/").await;
    wants_a_token(routes, Method::Post, "/").await;
}

#[wasm_bindgen_test]
async fn a_job_that_is_none_is_refused_before_postgres_is_asked() {
    for (body, code) in [
        ("nonsense", "not_json"),
        (r#"{"kind": 7}"#, "invalid_field"),
        (r#"{"kind": "echo", "payload": {}}"#, "empty_payload"),
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
async fn a_job_goes_in_with_the_token_of_its_caller_and_an_id_of_the_request() {
    let answers = &[(
        "/rpc/submit_job",
        200,
        r#"{"id": "01a1e273-88a8-7a97-9476-25074e8fc71c", "status": "new"}"#,
    )];
    let answer = ask(Method::Post, "/")
        .by("user")
        .body(JOB)
        .send(routes(), answers)
        .await
        .unwrap();
    assert_eq!(
        (answer.status, answer.json()["status"].as_str()),
        (202, Some("new"))
    );
    let call = &answer.calls.of("/rpc/submit_job")[0];
    assert_eq!(call.authorization, "Bearer user");
    assert!(
        call.body.contains(&answer.header("x-correlation-id")),
        "{}",
        call.body
    );
}

#[wasm_bindgen_test]
async fn while_postgres_is_away_a_caller_is_told_to_come_back() {
    let answer = ask(Method::Post, "/")
        .by("user")
        .body(JOB)
        .send(routes(), &[("/rpc/submit_job", 503, "{}")])
        .await
        .unwrap();
    assert_eq!(answer.status, 503);
    assert!(!answer.header("retry-after").is_empty());
}
