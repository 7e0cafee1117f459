//! On the wasm target: routing, refusals, and a ZIP that is written while it is sent.

use gristmill_trial::{ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

const BATCH: &str = "/v1/exports/batch/00000000-0000-4000-8000-000000000001.zip";

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/v1/exports").await;
    wants_a_token(routes, Method::Post, "/v1/exports").await;
    wants_a_token(
        routes,
        Method::Delete,
        "/v1/exports/01a1e273-88a8-7a97-9476-25074e8fc71c/file",
    )
    .await;
    wants_a_token(routes, Method::Get, BATCH).await;
}

#[wasm_bindgen_test]
async fn an_order_that_is_none_is_refused_before_postgres_is_asked() {
    for (body, code) in [
        ("[", "not_json"),
        (r#"{"document_id": "x"}"#, "invalid_field"),
        ("{}", "invalid_field"),
    ] {
        let answer = ask(Method::Post, "/v1/exports")
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
async fn a_batch_is_one_zip_of_which_each_file_is_an_entry_of_its_own_name() {
    let answers = &[
        (
            "/rpc/download_export_batch",
            200,
            r#"[{"path": "exports:u/a.pdf", "name": "A.pdf", "size": 5}, {"path": "exports:u/b.pdf", "name": "A.pdf", "size": 5}]"#,
        ),
        ("/u/a.pdf", 200, "first"),
        ("/u/b.pdf", 200, "other"),
    ];
    let answer = ask(Method::Get, BATCH)
        .by("user")
        .send(routes(), answers)
        .await
        .unwrap();
    assert_eq!(
        (answer.status, answer.header("content-type").as_str()),
        (200, "application/zip")
    );
    let zip = answer.bytes();
    assert!(
        zip.starts_with(b"PK") && answer.chunks.len() > 2,
        "it comes in one piece"
    );
    let has = |part: &[u8]| zip.windows(part.len()).any(|window| window == part);
    assert!(has(b"A.pdf") && has(b"A (2).pdf") && has(b"first") && has(b"other"));
}

#[wasm_bindgen_test]
async fn a_zip_that_cannot_be_completed_breaks_off() {
    let answers = &[(
        "/rpc/download_export_batch",
        200,
        r#"[{"path": "exports:u/gone.pdf", "name": "A.pdf", "size": 5}]"#,
    )];
    let broken = ask(Method::Get, BATCH)
        .by("user")
        .send(routes(), answers)
        .await;
    assert!(broken.is_err());
}
