//! On the wasm target: routing, refusals, bodies as they stream, signed links and their time.

use gristmill_files::link::{Right, Signer};
use gristmill_trial::{FILES_SECRET, ask, behaves, wants_a_token};
use wasm_bindgen_test::wasm_bindgen_test;
use worker::Method;

use crate::routes;

#[wasm_bindgen_test]
async fn it_routes_and_refuses() {
    behaves(routes, "/v1/documents").await;
    wants_a_token(routes, Method::Post, "/v1/documents").await;
    wants_a_token(
        routes,
        Method::Get,
        "/v1/documents/00000000-0000-4000-8000-000000000001/events",
    )
    .await;
}

#[wasm_bindgen_test]
async fn an_upload_is_judged_by_its_first_bytes_before_anything_is_stored() {
    for (body, refusal) in [
        (
            &b"\x7fELF\x02\x01\x01\0\0\0\0\0"[..],
            (415, "unsupported_type"),
        ),
        (b"<html><body>", (415, "unsupported_type")),
        (b"", (400, "empty_body")),
    ] {
        let asked = ask(Method::Post, "/v1/documents?filename=a.pdf").by("user");
        let asked = asked.header("content-type", "application/pdf").body(body);
        let answer = asked.send(routes(), &[]).await.unwrap();
        let (status, code) = answer.refusal();
        assert_eq!((status, code.as_str()), refusal);
        assert!(
            answer
                .calls
                .of("")
                .iter()
                .all(|call| !call.what.contains("/storage/"))
        );
    }
}

#[wasm_bindgen_test]
async fn a_signed_link_is_good_for_its_own_object_and_until_it_expires() {
    let now = chrono::Utc::now().timestamp();
    let query = |right, key, at| Signer::new(FILES_SECRET).query(right, key, at);
    let refusal = async |signed: &str| {
        let path = format!("/objects?key=exports:u/a.pdf&{signed}");
        let asked = ask(Method::Get, &path).empty_bucket("FILES");
        asked.send(routes(), &[]).await.unwrap().refusal().1
    };
    for signed in [
        query(Right::Get, "exports:u/a.pdf", now - 1),
        query(Right::Get, "exports:u/b.pdf", now + 60),
        query(Right::Put, "exports:u/a.pdf", now + 60),
        format!("expires={}&signature=AAAA", now + 60),
    ] {
        assert_eq!(refusal(&signed).await, "bad_signature", "{signed}");
    }
    let good = query(Right::Get, "exports:u/a.pdf", now + 60);
    assert_eq!(refusal(&good).await, "not_found", "nothing is stored there");
}
