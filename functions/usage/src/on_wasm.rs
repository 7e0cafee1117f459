//! On the wasm target: routing, refusals, and whose usage is shown.

use gristmill_trial::{ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/v1/usage").await;
    wants_a_token(routes, Method::Get, "/").await;
}

#[wasm_bindgen_test]
async fn a_profile_that_is_none_is_refused_before_postgres_is_asked() {
    let answer = ask(Method::Get, "/?profile_id=7")
        .by("user")
        .send(routes(), &[])
        .await
        .unwrap();
    assert_eq!(answer.status, 400, "{:?}", answer.json());
    assert!(answer.calls.of("").is_empty());
}

#[wasm_bindgen_test]
async fn another_ones_profile_is_not_found() {
    let asked = ask(
        Method::Get,
        "/?profile_id=00000000-0000-4000-8000-000000000001",
    )
    .by("user");
    let answer = asked
        .send(routes(), &[("/rpc/get_user_usage_status", 200, "null")])
        .await
        .unwrap();
    assert_eq!(answer.refusal(), (404, "not_found".to_owned()));
    assert_eq!(
        answer.calls.of("/rpc/get_user_usage_status")[0].authorization,
        "Bearer user"
    );
}
