//! On the wasm target: routing, what is said while Postgres is away, and the token of the metrics.

use gristmill_trial::{ask, behaves};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/metrics").await;
}

#[wasm_bindgen_test]
async fn while_postgres_is_away_it_says_so_and_not_why() {
    let answer = ask(Method::Get, "/")
        .send(
            routes(),
            &[("/rpc/health_report", 500, r#"{"message": "a secret"}"#)],
        )
        .await
        .unwrap();
    assert_eq!(answer.status, 503);
    assert!(!answer.json().to_string().contains("a secret"));
}

#[wasm_bindgen_test]
async fn metrics_are_for_holders_of_their_token() {
    let asked = || ask(Method::Get, "/metrics").binding("METRICS_TOKEN", "new old");
    assert_eq!(asked().send(routes(), &[]).await.unwrap().status, 401);
    assert_eq!(
        asked()
            .by("another")
            .send(routes(), &[])
            .await
            .unwrap()
            .refusal()
            .1,
        "token_refused"
    );
    for token in ["new", "old"] {
        let answer = asked().by(token).send(routes(), &[]).await.unwrap();
        assert_eq!(answer.calls.of("/rpc/metrics_report").len(), 1);
    }
}
