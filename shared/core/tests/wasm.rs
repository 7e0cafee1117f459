//! What must hold on the real wasm target: time, randomness, signatures and JSON as the functions use them.
#![cfg(target_arch = "wasm32")]

use std::time::Duration;

use gristmill_core::job::ClaimedJob;
use gristmill_core::signature::{Key, Refused};
use gristmill_core::{Code, TimedOut, json, within};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn a_deadline_ends_work_that_never_ends() {
    let never = std::future::pending::<()>();
    assert_eq!(
        within(Duration::from_millis(20), never).await,
        Err(TimedOut)
    );
    assert_eq!(within(Duration::from_millis(500), async { 7 }).await, Ok(7));
}

#[wasm_bindgen_test]
fn ids_are_random_and_ordered_by_time() {
    let (first, second) = (uuid::Uuid::now_v7(), uuid::Uuid::now_v7());
    assert_ne!(first, second);
    assert_eq!(first.get_version_num(), 7);
}

#[wasm_bindgen_test]
fn a_signature_made_by_the_reference_library_is_accepted_once_fresh() {
    let key = Key::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let (id, at) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330");
    let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    let body = br#"{"test": 2432232314}"#;
    assert_eq!(key.verify(id, at, signature, body, 1_614_265_330), Ok(()));
    let now = chrono::Utc::now().timestamp();
    assert_eq!(
        key.verify(id, at, signature, body, now),
        Err(Refused::Stale)
    );
}

#[wasm_bindgen_test]
fn bad_json_is_told_from_a_bad_field() {
    assert_eq!(
        json::parse::<ClaimedJob>(b"{").unwrap_err().code,
        Code::NotJson
    );
    assert_eq!(
        json::parse::<ClaimedJob>(b"{\"id\":1}").unwrap_err().code,
        Code::InvalidField
    );
}
