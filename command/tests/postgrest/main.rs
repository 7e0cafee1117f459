//! The `postgrest` crate, which our functions use, drives the gateway.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod stack;

#[path = "../support/postgres.rs"]
#[allow(dead_code, reason = "the relay's tests use the rest of it")]
mod postgres;

use postgrest::Postgrest;
use reqwest::{Error, Response};
use serde_json::{Value, json};
use stack::{Stack, token};

const ALICE: &str = "11111111-1111-1111-1111-111111111111";

async fn answer(sent: Result<Response, Error>) -> (u16, Value) {
    let response = sent.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::Null))
}

fn client(url: &str, claims: &Value) -> Postgrest {
    Postgrest::new(url)
        .schema("api")
        .insert_header("authorization", format!("Bearer {}", token(claims)))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_postgrest_crate_calls_reads_and_writes() {
    let stack = Stack::start().await;
    let service = client(&stack.url, &json!({ "role": "service_role" }));
    let alice = client(
        &stack.url,
        &json!({ "role": "authenticated", "sub": ALICE }),
    );

    calls(&service).await;
    writes_and_reads(&alice).await;
    upserts_on_a_composite_conflict(&service).await;
    errors(&service, &alice).await;
}

async fn calls(service: &Postgrest) {
    let given = json!({
        "p_j": { "a": [1, null] }, "p_arr": ["x", "y"], "p_id": ALICE,
        "p_ts": "2024-05-06T07:08:09.123Z", "p_i": null,
    });
    let (status, described) =
        answer(service.rpc("describe", given.to_string()).execute().await).await;
    assert_eq!(status, 200);
    assert_eq!(described["j"], json!({ "a": [1, null] }));
    assert_eq!(described["arr"], json!(["x", "y"]));
    assert_eq!(described["id"], ALICE);
    assert_eq!(described["ts"], "2024-05-06T07:08:09.123+00:00");
    assert_eq!(described["i"], Value::Null);
    assert_eq!(described["t"], "dflt");

    let rows = service
        .rpc("rows", r#"{"n":3}"#)
        .gt("id", "1")
        .order("id.desc")
        .select("id");
    assert_eq!(
        answer(rows.execute().await).await.1,
        json!([{ "id": 3 }, { "id": 2 }])
    );
    assert_eq!(
        answer(service.rpc("nothing", "{}").execute().await).await.0,
        204
    );
}

async fn writes_and_reads(alice: &Postgrest) {
    let rows = json!([
        { "owner": ALICE, "title": "one", "slug": "r1", "prio": 1, "tags": ["a"] },
        { "owner": ALICE, "title": "two", "slug": "r2", "prio": 2, "tags": [] },
    ]);
    let inserted = alice.from("todos").insert(rows.to_string()).select("title");
    let (status, shown) = answer(inserted.execute().await).await;
    assert_eq!(
        (status, shown),
        (201, json!([{ "title": "one" }, { "title": "two" }]))
    );

    let read = alice
        .from("todos")
        .select("slug")
        .in_("slug", ["r1", "r2"])
        .order("prio.desc")
        .range(0, 0);
    let response = read.exact_count().execute().await.unwrap();
    assert_eq!(response.status(), 206);
    assert_eq!(response.headers()["content-range"], "0-0/2");
    assert_eq!(response.text().await.unwrap(), r#"[{"slug":"r2"}]"#);

    let single = alice
        .from("todos")
        .select("title")
        .eq("slug", "r1")
        .single();
    assert_eq!(
        answer(single.execute().await).await.1,
        json!({ "title": "one" })
    );

    let updated = alice
        .from("todos")
        .eq("slug", "r1")
        .update(r#"{"done":true}"#)
        .select("done");
    assert_eq!(
        answer(updated.execute().await).await.1,
        json!([{ "done": true }])
    );

    let deleted = alice.from("todos").eq("slug", "r2").delete().select("slug");
    assert_eq!(
        answer(deleted.execute().await).await.1,
        json!([{ "slug": "r2" }])
    );
}

async fn upserts_on_a_composite_conflict(service: &Postgrest) {
    for rank in ["a", "b"] {
        let row = json!({ "team": 1, "member": 2, "rank": rank }).to_string();
        let upsert = service
            .from("memberships")
            .upsert(row)
            .on_conflict("team,member")
            .select("rank");
        assert_eq!(
            answer(upsert.execute().await).await.1,
            json!([{ "rank": rank }])
        );
    }
}

async fn errors(service: &Postgrest, alice: &Postgrest) {
    let (status, error) = answer(service.rpc("nosuch", "{}").execute().await).await;
    assert_eq!((status, &error["code"]), (404, &json!("PGRST202")));
    let (status, error) =
        answer(service.rpc("fail", r#"{"p_code":"PT429"}"#).execute().await).await;
    assert_eq!((status, &error["code"]), (429, &json!("PT429")));
    let stolen =
        json!({ "owner": "22222222-2222-2222-2222-222222222222", "title": "x" }).to_string();
    let (status, error) = answer(alice.from("todos").insert(stolen).execute().await).await;
    assert_eq!((status, &error["code"]), (403, &json!("42501")));
    let none = alice.from("todos").select("*").eq("id", "0").single();
    let (status, error) = answer(none.execute().await).await;
    assert_eq!((status, &error["code"]), (406, &json!("PGRST116")));
}
