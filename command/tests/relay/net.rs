//! Sending: after commit only, at once, fairly, within limits.

use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::support::postgres::{Server, eventually};
use crate::support::relay::Relay;
use crate::support::target::{Reply, Target};

async fn post(client: &Client, url: &str) -> i64 {
    client
        .query_one("select net.http_post($1, '{\"n\": 1}')", &[&url])
        .await
        .unwrap()
        .get(0)
}

async fn answered(client: &Client, count: i64) {
    let query = format!("select count(*) = {count} from net._http_response");
    eventually(client, "all answers are recorded", &query).await;
}

#[tokio::test]
async fn rollback_sends_nothing() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let mut client = database.connect().await;
    let transaction = client.transaction().await.unwrap();
    transaction
        .query_one("select net.http_get($1)", &[&target.url("/undone")])
        .await
        .unwrap();
    transaction.rollback().await.unwrap();
    // The later request is the proof that the earlier one had every chance.
    post(&client, &target.url("/done")).await;
    answered(&client, 1).await;
    let paths: Vec<String> = target.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/done"]);
}

#[tokio::test]
async fn nothing_is_sent_before_commit() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let mut client = database.connect().await;
    let other = database.connect().await;
    let transaction = client.transaction().await.unwrap();
    transaction
        .query_one("select net.http_get($1)", &[&target.url("/first")])
        .await
        .unwrap();
    post(&other, &target.url("/second")).await;
    target.wait_for(1).await;
    transaction.commit().await.unwrap();
    let paths: Vec<String> = target
        .wait_for(2)
        .await
        .into_iter()
        .map(|s| s.path)
        .collect();
    assert_eq!(paths, ["/second", "/first"]);
}

#[tokio::test]
async fn a_request_arrives_as_it_was_queued_and_its_answer_is_recorded() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| {
        Reply::Now(
            418,
            vec![
                "content-type: text/x-tea".to_owned(),
                "x-pot: brown".to_owned(),
            ],
            "caf\u{e9}\0hidden".as_bytes().to_vec(),
        )
    })
    .await;
    let client = database.connect().await;
    let id: i64 = client
        .query_one(
            "select net.http_post(url := $1, body := '{\"a\": [1, null]}', params := '{\"q\": \"x y&z\"}', \
             headers := '{\"X-Mine\": \"yes\"}')",
            &[&target.url("/hook?old=1#part")],
        )
        .await
        .unwrap()
        .get(0);
    let result = client
        .query_one(
            "select (r).status::text, (r).message, (r).response.status_code, (r).response.body, \
                    (r).response.headers->>'x-pot' \
             from (select net._http_collect_response($1, async := false) as r) as collected",
            &[&id],
        )
        .await
        .unwrap();
    assert_eq!(result.get::<_, String>(0), "SUCCESS");
    assert_eq!(result.get::<_, String>(1), "ok");
    assert_eq!(result.get::<_, i32>(2), 418);
    assert_eq!(result.get::<_, String>(3), "caf\u{e9}");
    assert_eq!(result.get::<_, String>(4), "brown");
    let row = client
        .query_one(
            "select content_type, timed_out, (select count(*) from net.http_request_queue) \
             from net._http_response where id = $1",
            &[&id],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "text/x-tea");
    assert!(!row.get::<_, bool>(1));
    assert_eq!(row.get::<_, i64>(2), 0);
    let seen = &target.seen()[0];
    assert_eq!(
        (seen.method.as_str(), seen.path.as_str()),
        ("POST", "/hook?old=1&q=x%20y%26z")
    );
    assert_eq!(seen.body, "{\"a\": [1, null]}");
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["x-mine"], "yes");
    assert!(seen.headers["user-agent"].starts_with("pg_net/"));
}

#[tokio::test]
async fn get_and_delete_are_sent_too() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    client
        .execute("select net.http_get($1)", &[&target.url("/g")])
        .await
        .unwrap();
    client
        .execute(
            "select net.http_delete($1, body := '{\"why\": 1}')",
            &[&target.url("/d")],
        )
        .await
        .unwrap();
    let mut seen: Vec<(String, String)> = target
        .wait_for(2)
        .await
        .into_iter()
        .map(|s| (s.method, s.body))
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            ("DELETE".to_owned(), "{\"why\": 1}".to_owned()),
            ("GET".to_owned(), String::new())
        ]
    );
}

#[tokio::test]
async fn what_cannot_be_sent_is_answered_in_curls_words() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let client = database.connect().await;
    let hanging = Target::start(|_| Reply::Held).await;
    let large = Target::start(|_| Reply::Now(200, vec![], vec![b'x'; 3 << 20])).await;
    let cases = [
        (
            "http://127.0.0.1:1/".to_owned(),
            "Couldn't connect to server",
        ),
        (
            "http://no-such-host.invalid/".to_owned(),
            "Couldn't resolve host name",
        ),
        ("ftp://127.0.0.1/".to_owned(), "Unsupported protocol"),
        (
            "nonsense".to_owned(),
            "URL using bad/illegal format or missing URL",
        ),
        (large.url("/"), "Maximum file size exceeded"),
        (hanging.url("/"), "Timeout of 150 ms reached. Total time: "),
    ];
    for (url, words) in cases {
        let id: i64 = client
            .query_one(
                "select net.http_get($1, timeout_milliseconds := 150)",
                &[&url],
            )
            .await
            .unwrap()
            .get(0);
        client
            .query_one("select net._await_response($1)", &[&id])
            .await
            .unwrap();
        let row = client
            .query_one(
                "select error_msg, timed_out from net._http_response where id = $1",
                &[&id],
            )
            .await
            .unwrap();
        let message: String = row.get(0);
        assert!(message.starts_with(words), "{url}: {message}");
        assert_eq!(row.get::<_, bool>(1), words.starts_with("Timeout"));
    }
}

#[tokio::test]
async fn headers_that_would_split_a_request_are_refused() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    client
        .execute(
            "select net.http_get($1, headers := '{\"X-A\": \"a\\r\\nX-B: b\"}')",
            &[&target.url("/")],
        )
        .await
        .unwrap();
    answered(&client, 1).await;
    assert!(target.seen().is_empty());
}

#[tokio::test]
async fn a_target_that_hangs_does_not_delay_another() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let hanging = Target::start(|_| Reply::Held).await;
    let quick = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    // Far more than the stuck target has slots, so that a queue in order of arrival would be stuck too.
    client
        .execute(
            "select net.http_get($1, timeout_milliseconds := 60000) from generate_series(1, 5000)",
            &[&hanging.url("/")],
        )
        .await
        .unwrap();
    hanging.wait_for(128).await;
    let begun = Instant::now();
    client
        .execute(
            "select net.http_get($1) from generate_series(1, 100)",
            &[&quick.url("/")],
        )
        .await
        .unwrap();
    quick.wait_for(100).await;
    println!(
        "100 requests beside 5,000 stuck ones: {:?}",
        begun.elapsed()
    );
    assert_eq!(hanging.seen().len(), 128);
}

#[tokio::test]
async fn no_more_requests_than_allowed_are_in_flight_to_one_host() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &["--per-host-concurrency", "3"]).await;
    let target = Target::start(|_| Reply::After(Duration::from_millis(20))).await;
    let client = database.connect().await;
    client
        .execute(
            "select net.http_get($1) from generate_series(1, 30)",
            &[&target.url("/")],
        )
        .await
        .unwrap();
    answered(&client, 30).await;
    assert_eq!(target.busiest(), 3);
}

#[tokio::test]
async fn no_more_requests_than_allowed_are_in_flight_over_all() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &["--concurrency", "4"]).await;
    let targets = [
        Target::start(|_| Reply::Held).await,
        Target::start(|_| Reply::Held).await,
    ];
    let client = database.connect().await;
    for target in &targets {
        client
            .execute(
                "select net.http_get($1) from generate_series(1, 20)",
                &[&target.url("/")],
            )
            .await
            .unwrap();
    }
    let held = || {
        targets
            .iter()
            .map(|target| target.seen().len())
            .sum::<usize>()
    };
    while held() < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(held(), 4);
    for target in &targets {
        target.release();
    }
    answered(&client, 40).await;
}

#[tokio::test]
async fn a_rate_per_host_is_held() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &["--per-host-rate", "20"]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    client
        .execute(
            "select net.http_get($1) from generate_series(1, 50)",
            &[&target.url("/")],
        )
        .await
        .unwrap();
    let seen = target.wait_for(50).await;
    // Twenty at once, then thirty at twenty a second: no window may hold more than burst and rate allow.
    let took = seen[49].at - seen[0].at;
    assert!(took >= Duration::from_millis(1400), "{took:?}");
}

#[tokio::test]
async fn a_procedure_that_commits_in_a_loop_sends_each_round_at_once() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    client
        .batch_execute(
            "create procedure pump(url text, rounds int) language plpgsql as $$
             begin
               for round in 1 .. rounds loop
                 perform net.http_get(url || round);
                 commit;
                 -- Goes on only when this round's request has been answered.
                 while (select count(*) from net._http_response) < round loop
                   perform pg_sleep(0.01);
                   commit;
                 end loop;
               end loop;
             end $$",
        )
        .await
        .unwrap();
    client
        .execute("call pump($1, 5)", &[&target.url("/round/")])
        .await
        .unwrap();
    let paths: Vec<String> = target.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(
        paths,
        (1..=5).map(|n| format!("/round/{n}")).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_row_inserted_without_a_wake_is_found() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    client
        .execute(
            "insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds) \
             values ('post', $1, null, null, 1000)",
            &[&target.url("/plain")],
        )
        .await
        .unwrap();
    assert_eq!(target.wait_for(1).await[0].method, "POST");
}

#[tokio::test]
async fn a_transaction_that_commits_late_with_early_ids_is_sent() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    let mut late = database.connect().await;
    for round in 0..20 {
        let transaction = late.transaction().await.unwrap();
        transaction
            .execute("select net.http_get($1)", &[&target.url("/late")])
            .await
            .unwrap();
        post(&client, &target.url("/early")).await;
        target.wait_for(2 * round + 1).await;
        transaction.commit().await.unwrap();
        target.wait_for(2 * round + 2).await;
    }
    answered(&client, 40).await;
}

#[tokio::test]
async fn old_responses_are_pruned_and_young_ones_stay() {
    let database = Server::shared().database().await;
    assert!(Relay::install(&database));
    let client = database.connect().await;
    client
        .batch_execute(
            "insert into net._http_response (id, created) \
             select n, now() - interval '2 hours' from generate_series(1, 1200) n; \
             insert into net._http_response (id, created) values (9999, now() - interval '30 minutes')",
        )
        .await
        .unwrap();
    let _relay = Relay::serving(&database, &["--response-ttl", "1 hour"]).await;
    eventually(
        &client,
        "only the young response is left",
        "select array_agg(id) = '{9999}' from net._http_response",
    )
    .await;
}

#[tokio::test]
async fn logs_carry_no_path_query_header_or_body() {
    let database = Server::shared().database().await;
    let relay = Relay::serving(&database, &[]).await;
    let target =
        Target::start(|_| Reply::Now(200, vec!["x: canary".to_owned()], b"canary".to_vec())).await;
    let client = database.connect().await;
    client
        .execute(
            "select net.http_post($1, '{\"b\": \"canary\"}', '{\"q\": \"canary\"}', '{\"X-Key\": \"canary\"}')",
            &[&target.url("/canary")],
        )
        .await
        .unwrap();
    answered(&client, 1).await;
    relay.wait_for_log("sent").await;
    assert!(!relay.log().contains("canary"), "{}", relay.log());
}

/// No assertion on time: the machine may be busy. scripts/bench measures; this prints.
#[tokio::test]
async fn commit_to_sent_is_printed() {
    let database = Server::shared().database().await;
    let _relay = Relay::serving(&database, &[]).await;
    let target = Target::start(|_| Reply::ok()).await;
    let client = database.connect().await;
    let mut took = Vec::new();
    for sent in 1..=100 {
        post(&client, &target.url("/")).await;
        let committed = Instant::now();
        let seen = target.wait_for(sent).await;
        took.push(seen[sent - 1].at.saturating_duration_since(committed));
    }
    took.sort();
    println!("commit to sent: p50 {:?}, p99 {:?}", took[49], took[98]);
}
