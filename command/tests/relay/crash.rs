//! What holds when the relay or Postgres dies.

use std::collections::HashMap;
use std::process::Command;
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::support::postgres::{Server, eventually};
use crate::support::relay::{Relay, unserved};
use crate::support::target::{Reply, Target};

async fn answered(client: &Client, count: i64) {
    let query = format!("select count(*) = {count} from net._http_response");
    eventually(client, "all answers are recorded", &query).await;
}

async fn get(client: &Client, target: &Target, times: i32) {
    client
        .execute(
            "select net.http_get($1 || n, timeout_milliseconds := 60000) from generate_series(1, $2) n",
            &[&target.url("/"), &times],
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn a_relay_killed_in_mid_flight_loses_nothing_and_repeats_only_the_unanswered() {
    let database = Server::shared().database().await;
    let mut first = Relay::serving(&database, &["--per-host-concurrency", "200"]).await;
    // Even requests are answered at once, odd ones hang until the relay is dead.
    let target = Target::start(|seen| {
        let number: u32 = seen.path.trim_start_matches('/').parse().unwrap();
        if number.is_multiple_of(2) {
            Reply::ok()
        } else {
            Reply::Held
        }
    })
    .await;
    let client = database.connect().await;
    get(&client, &target, 200).await;
    target.wait_for(200).await;
    answered(&client, 100).await;
    first.kill();
    unserved(&client).await;
    target.release();
    let _second = Relay::serving(&database, &[]).await;
    answered(&client, 200).await;
    let row = client
        .query_one(
            "select count(distinct id), (select count(*) from net.http_request_queue), \
                    count(*) filter (where status_code = 200) from net._http_response",
            &[],
        )
        .await
        .unwrap();
    let counts: (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    assert_eq!(counts, (200, 0, 200));
    let mut times: HashMap<String, u32> = HashMap::new();
    for seen in target.seen() {
        *times.entry(seen.path).or_default() += 1;
    }
    for number in 1..=200_u32 {
        let expected = if number.is_multiple_of(2) { 1 } else { 2 };
        assert_eq!(times[&format!("/{number}")], expected, "request {number}");
    }
}

#[tokio::test]
async fn a_relay_asked_to_stop_records_what_is_in_flight() {
    let database = Server::shared().database().await;
    let mut relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::After(Duration::from_millis(300))).await;
    let client = database.connect().await;
    get(&client, &target, 20).await;
    target.wait_for(20).await;
    assert!(relay.stop().await);
    answered(&client, 20).await;
    let left: i64 = client
        .query_one("select count(*) from net.http_request_queue", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_second_relay_stands_by_and_takes_over() {
    let database = Server::shared().database().await;
    let mut first = Relay::serving(&database, &[]).await;
    let second = Relay::start(&database, &[]);
    second
        .wait_for_log("another relay serves this database")
        .await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    get(&client, &target, 1).await;
    answered(&client, 1).await;
    first.kill();
    let killed = Instant::now();
    get(&client, &target, 1).await;
    target.wait_for(2).await;
    println!("taken over after {:?}", killed.elapsed());
    answered(&client, 2).await;
}

#[tokio::test]
async fn two_relays_started_at_once_send_each_request_once() {
    let database = Server::shared().database().await;
    let _relays = [Relay::start(&database, &[]), Relay::start(&database, &[])];
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    eventually(
        &client,
        "the schema is there",
        "select to_regproc('net.http_get') is not null",
    )
    .await;
    get(&client, &target, 300).await;
    answered(&client, 300).await;
    assert_eq!(target.seen().len(), 300);
}

#[tokio::test]
async fn a_relay_outlives_a_crash_of_postgres() {
    let server = Server::start();
    let database = server.database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    client
        .batch_execute(
            "create table beat (n int); \
             select cron.schedule('beat', '1 second', 'insert into beat values (1)')",
        )
        .await
        .unwrap();
    server.kill();
    server.launch();
    let ready = Instant::now();
    let client = database.connect().await;
    get(&client, &target, 1).await;
    target.wait_for(1).await;
    println!("sending {:?} after Postgres was back", ready.elapsed());
    eventually(&client, "cron runs again", "select count(*) > 0 from beat").await;
    assert!(ready.elapsed() < Duration::from_secs(10));
}

/// The crash empties the unlogged queue and starts its ids over, so that new requests have the ids of
/// those in flight.
#[tokio::test]
async fn a_crashed_backend_does_not_mix_old_answers_with_new_requests() {
    let server = Server::start();
    let database = server.database().await;
    let relay = Relay::serving(&database, &[]).await;
    let old = Target::start(|_| Reply::Held).await;
    let new = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    get(&client, &old, 20).await;
    old.wait_for(20).await;
    let pid: i32 = client
        .query_one("select pg_backend_pid()", &[])
        .await
        .unwrap()
        .get(0);
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.unwrap().success());
    relay.wait_for_log("Postgres was restarted").await;
    let client = database.connect().await;
    get(&client, &new, 20).await;
    new.wait_for(20).await;
    old.release();
    answered(&client, 20).await;
    let row = client
        .query_one(
            "select min(id), bool_and(content = 'ok') from net._http_response",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);
    assert!(row.get::<_, bool>(1));
}

#[tokio::test]
async fn a_backend_that_is_killed_costs_no_request_and_repeats_none() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::Held).await;
    let client = database.connect().await;
    get(&client, &target, 50).await;
    target.wait_for(50).await;
    client
        .batch_execute(
            "select pg_terminate_backend(pid) from pg_stat_activity \
             where application_name = 'gristmill relay' and datname = current_database()",
        )
        .await
        .unwrap();
    target.release();
    answered(&client, 50).await;
    assert_eq!(target.seen().len(), 50);
}

#[tokio::test]
async fn worker_restart_repeats_nothing() {
    let database = Server::shared().database().await;
    let relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::Held).await;
    let client = database.connect().await;
    get(&client, &target, 1).await;
    target.wait_for(1).await;
    client
        .batch_execute("select net.worker_restart()")
        .await
        .unwrap();
    relay.wait_for_log("restart requested").await;
    client
        .batch_execute("select net.wait_until_running()")
        .await
        .unwrap();
    target.release();
    answered(&client, 1).await;
    assert_eq!(target.seen().len(), 1);
}
