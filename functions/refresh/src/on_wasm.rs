//! On the wasm target: routing, refusals, and the first events of a stream.

use gristmill_trial::{ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/v1/changes").await;
    wants_a_token(routes, Method::Get, "/v1/changes").await;
    wants_a_token(routes, Method::Post, "/v1/changes/ticket").await;
}

#[wasm_bindgen_test]
async fn without_a_stream_to_read_a_ticket_is_not_found() {
    let answer = ask(Method::Post, "/v1/changes/ticket")
        .by("user")
        .send(routes(), &[("/rpc/issue_ticket", 200, "null")])
        .await
        .unwrap();
    assert_eq!(answer.refusal(), (404, "not_found".to_owned()));
}

#[wasm_bindgen_test]
async fn watchers_are_counted_under_the_name_that_does_so_alone() {
    let answers = &[(
        "/rpc/refresh_analytics_from_presence_v2",
        200,
        r#"{"counted": 3}"#,
    )];
    let asked = || ask(Method::Post, "/").by("service").body("{}");
    let under = asked().binding("FUNCTION_NAME", "refresh-analytics-from-presence-v2");
    assert_eq!(
        under.send(routes(), answers).await.unwrap().json()["counted"],
        3
    );
    assert_eq!(asked().send(routes(), answers).await.unwrap().status, 404);
}
