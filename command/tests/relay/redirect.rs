//! Redirects as curl follows them. Where they may lead is tested beside the client, which can be told
//! what to take for a public address.

use crate::support::postgres::{Server, eventually};
use crate::support::relay::Relay;
use crate::support::target::{Reply, Seen, Target};

const POST: &str = r#"select net.http_post($1, '{"a": 1}',
  headers := '{"Authorization": "secret", "Cookie": "secret", "X-Mine": "yes"}')"#;

/// Sends to a target that redirects to a second one; what the second one saw.
async fn redirected(statement: &str, status: u16) -> Seen {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let second = Target::start(|_| Reply::ok()).await;
    let next = second.url("/next");
    let first = Target::start(move |_| Reply::to(status, &next)).await;
    let client = database.connect().await;
    client
        .execute(statement, &[&first.url("/first")])
        .await
        .unwrap();
    second.wait_for(1).await.remove(0)
}

/// Sends to a target that redirects somewhere it must not; waits for the answer's error.
async fn refused(location: &'static str, words: &str) -> Vec<Seen> {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(move |_| Reply::to(302, location)).await;
    let client = database.connect().await;
    client
        .execute("select net.http_get($1)", &[&target.url("/a/b")])
        .await
        .unwrap();
    eventually(
        &client,
        words,
        &format!("select bool_and(error_msg = '{words}') from net._http_response"),
    )
    .await;
    target.seen()
}

#[tokio::test]
async fn a_found_post_becomes_a_get_without_body() {
    for status in [301, 302, 303] {
        let seen = redirected(POST, status).await;
        assert_eq!((seen.method.as_str(), seen.body.as_str()), ("GET", ""));
    }
}

#[tokio::test]
async fn a_temporary_redirect_repeats_method_and_body() {
    for status in [307, 308] {
        let seen = redirected(POST, status).await;
        assert_eq!(seen.method, "POST");
        assert_eq!(seen.body, r#"{"a": 1}"#);
    }
}

#[tokio::test]
async fn a_redirected_delete_stays_a_delete() {
    let seen = redirected("select net.http_delete($1)", 302).await;
    assert_eq!(seen.method, "DELETE");
}

#[tokio::test]
async fn credentials_do_not_follow_to_another_host() {
    let seen = redirected(POST, 307).await;
    assert!(!seen.headers.contains_key("authorization"));
    assert!(!seen.headers.contains_key("cookie"));
    assert_eq!(seen.headers["x-mine"], "yes");
}

#[tokio::test]
async fn an_endless_redirect_ends_with_curls_error() {
    let seen = refused("../again?x=1#y", "Number of redirects hit maximum amount").await;
    assert_eq!(seen.len(), 31);
    assert_eq!(seen[1].path, "/again?x=1");
}

#[tokio::test]
async fn a_redirect_to_another_protocol_is_refused() {
    refused("file:///etc/hostname", "Unsupported protocol").await;
}
