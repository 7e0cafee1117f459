//! The way of one batch, with a transport that does as it is told.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::*;

type Answer = Box<dyn Fn(&str) -> (Duration, u16, Vec<(&'static str, String)>, String)>;

struct Told {
    answer: Answer,
    calls: RefCell<Vec<String>>,
    now: Cell<usize>,
    most: Cell<usize>,
}

impl Told {
    fn new(
        answer: impl Fn(&str) -> (Duration, u16, Vec<(&'static str, String)>, String) + 'static,
    ) -> Self {
        Self {
            answer: Box::new(answer),
            calls: RefCell::default(),
            now: Cell::new(0),
            most: Cell::new(0),
        }
    }
}

impl Transport for Told {
    async fn get(&self, request: Request) -> Result<Reply, String> {
        self.calls.borrow_mut().push(request.url.to_string());
        self.now.set(self.now.get() + 1);
        self.most.set(self.most.get().max(self.now.get()));
        let (pause, status, mut headers, body) = (self.answer)(request.url.as_str());
        if !headers
            .iter()
            .any(|(name, _)| *name == "transfer-encoding" || *name == "content-length")
        {
            headers.push(("content-length", body.len().to_string()));
        }
        // The head comes at once, the body after the pause: slowness anywhere counts.
        let body = stream::once(async move {
            tokio::time::sleep(pause).await;
            Ok(body.into_bytes())
        });
        tokio::time::sleep(pause / 2).await;
        self.now.set(self.now.get() - 1);
        Ok(Reply {
            status,
            headers: headers
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: body.boxed_local(),
        })
    }
}

fn price(symbol: &str) -> String {
    json!({"s": symbol, "p": 1.5, "t": 1738702801}).to_string()
}

fn symbol(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

fn types() -> BTreeMap<String, TypeRow> {
    let row = json!({"provider": "fmp", "endpoint_template": "/price/{symbol}", "symbol_column": "symbol",
        "source_timestamp_column": "made_at",
        "response_schema": {"type": "object", "required": ["s", "p", "t"], "additionalProperties": false, "properties": {
            "s": {"type": "string"}, "p": {"type": "number", "exclusiveMinimum": 0}, "t": {"type": ["integer", "null"]}}},
        "column_map": {"symbol": "/s", "price": "/p", "made_at": "/t"}});
    BTreeMap::from([("price".to_owned(), serde_json::from_value(row).unwrap())])
}

fn providers() -> Providers {
    BTreeMap::from([(
        "fmp".to_owned(),
        Provider::new("fmp", "https://api.example.com", None, false).unwrap(),
    )])
}

fn jobs(symbols: impl IntoIterator<Item = String>, data_type: &str) -> Vec<RefreshJob> {
    symbols
        .into_iter()
        .enumerate()
        .map(|(at, symbol)| {
            let id = format!("0190a0a0-0000-7000-8000-{at:012}");
            let payload = json!({"symbol": symbol, "data_type": data_type, "estimated_size": 1});
            serde_json::from_value(json!({"id": id, "attempt": 1, "payload": payload})).unwrap()
        })
        .collect()
}

async fn run_all(told: &Told, jobs: Vec<RefreshJob>) -> (Vec<Value>, BTreeMap<String, f64>) {
    let begun = tokio::time::Instant::now();
    let done = run(
        jobs,
        &types(),
        &providers(),
        told,
        || begun.elapsed(),
        async |_| false,
    )
    .await;
    let settlements = done
        .settlements
        .iter()
        .map(|it| serde_json::to_value(it).unwrap())
        .collect();
    (settlements, done.pauses)
}

#[tokio::test(start_paused = true)]
async fn what_has_ended_is_settled_while_one_symbol_is_slow() {
    let told = Told::new(|url| {
        let pause = Duration::from_millis(if symbol(url) == "SLOW" { 6_000 } else { 100 });
        (pause, 200, vec![], price(symbol(url)))
    });
    let begun = tokio::time::Instant::now();
    let early = RefCell::new(Vec::new());
    let refused = Cell::new(true);
    let note = async |settled: &[RefreshSettlement]| {
        // The first call fails: what it would have settled comes again.
        if refused.replace(false) {
            return false;
        }
        let symbols = settled.iter().map(|it| it.symbol.clone());
        early
            .borrow_mut()
            .push((begun.elapsed().as_secs(), symbols.collect::<Vec<_>>()));
        true
    };
    let jobs = jobs(["A", "B", "SLOW", "C"].map(str::to_owned), "price");
    let done = run(
        jobs,
        &types(),
        &providers(),
        &told,
        || begun.elapsed(),
        note,
    )
    .await;
    let mut early = early.into_inner();
    assert_eq!(early.len(), 1);
    let (seconds, symbols) = &mut early[0];
    symbols.sort();
    assert!(*seconds <= 3, "{seconds} s");
    assert_eq!(*symbols, ["A", "B", "C"]);
    let rest: Vec<_> = done
        .settlements
        .iter()
        .map(|it| it.symbol.as_str())
        .collect();
    assert_eq!(rest, ["SLOW"]);
}

async fn one(
    answer: impl Fn(&str) -> (Duration, u16, Vec<(&'static str, String)>, String) + 'static,
) -> Value {
    run_all(&Told::new(answer), jobs(["AAPL".into()], "price"))
        .await
        .0
        .remove(0)
}

fn error_type(settlement: &Value) -> &str {
    settlement["error"]["type"].as_str().unwrap_or_default()
}

const NO_TIME: Duration = Duration::ZERO;

#[tokio::test(start_paused = true)]
async fn what_passes_every_check_is_fetched_with_the_bytes_of_the_wire() {
    let body = format!("{}      ", price("AAPL"));
    let length = body.len();
    let settled = one(move |_| (NO_TIME, 200, vec![], body.clone())).await;
    assert_eq!(settled["outcome"], "fetched");
    assert_eq!(settled["bytes"], length);
    assert_eq!(
        settled["rows"],
        json!([{"symbol": "AAPL", "price": 1.5, "made_at": "2025-02-04T21:00:01Z"}])
    );
    assert_eq!(settled["events"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn compressed_the_header_counts_and_without_one_the_body_is_counted() {
    let compressed = vec![
        ("content-encoding", "gzip".to_owned()),
        ("content-length", "20".to_owned()),
    ];
    let settled = one(move |_| (NO_TIME, 200, compressed.clone(), price("AAPL"))).await;
    assert_eq!(settled["bytes"], 20);
    let settled = one(|_| {
        (
            NO_TIME,
            200,
            vec![("transfer-encoding", "chunked".into())],
            price("AAPL"),
        )
    })
    .await;
    assert_eq!(settled["bytes"], price("AAPL").len());
    assert_eq!(settled["events"], json!(["content_length_missing"]));
}

#[tokio::test(start_paused = true)]
async fn every_lie_is_refused_and_says_what_it_is() {
    let told = |status, body: &str| {
        let body = body.to_owned();
        one(move |_| (NO_TIME, status, vec![], body.clone()))
    };
    for (status, body, is, outcome) in [
        (500, "", "http", "failed"),
        (404, "", "http", "dead"),
        (302, "", "redirected", "failed"),
        (200, "<html>", "not_json", "failed"),
        (200, "[]", "schema", "failed"),
        (200, r#"{"s":"AAPL","p":-1,"t":1}"#, "schema", "failed"),
        (
            200,
            r#"{"s":"AAPL","p":1,"t":1,"new":1}"#,
            "schema",
            "failed",
        ),
        (200, r#"{"s":"MSFT","p":1,"t":1}"#, "other_symbol", "failed"),
        (
            200,
            r#"{"s":"AAPL","p":1,"t":null}"#,
            "no_source_timestamp",
            "failed",
        ),
    ] {
        let settled = told(status, body).await;
        assert_eq!(
            (error_type(&settled), settled["outcome"].as_str()),
            (is, Some(outcome)),
            "{status} {body}"
        );
        assert_eq!(
            settled["bytes"],
            body.len(),
            "refused bytes were carried too"
        );
        assert!(settled.get("rows").is_none());
    }
    let truncated = one(|_| {
        (
            NO_TIME,
            200,
            vec![("content-length", "99".into())],
            price("AAPL"),
        )
    })
    .await;
    assert_eq!(error_type(&truncated), "connection");
    let huge = one(|_| {
        (
            NO_TIME,
            200,
            vec![("transfer-encoding", "chunked".into())],
            " ".repeat(5 << 20),
        )
    })
    .await;
    assert_eq!(error_type(&huge), "too_large");
}

#[tokio::test(start_paused = true)]
async fn a_slow_provider_is_a_failure_at_ten_seconds_wherever_it_is_slow() {
    let begun = tokio::time::Instant::now();
    // Half before the head, half in the body: neither alone is ten seconds.
    let settled = one(|_| (Duration::from_secs(8), 200, vec![], price("AAPL"))).await;
    assert_eq!(error_type(&settled), "slow");
    assert_eq!(begun.elapsed().as_secs(), 10);
    let settled = one(|_| (Duration::from_secs(6), 200, vec![], price("AAPL"))).await;
    assert_eq!(settled["outcome"], "fetched");
}

#[tokio::test(start_paused = true)]
async fn a_data_type_without_fetcher_is_dead_before_any_call() {
    let told = Told::new(|_| (NO_TIME, 200, vec![], price("AAPL")));
    let (settled, _) = run_all(&told, jobs(["AAPL".into()], "unheard-of")).await;
    assert_eq!(
        (error_type(&settled[0]), &settled[0]["outcome"]),
        ("no_fetcher", &json!("dead"))
    );
    assert!(told.calls.borrow().is_empty());
}

#[tokio::test(start_paused = true)]
async fn ten_at_once_and_a_symbol_in_turn() {
    let told = Told::new(|url| (Duration::from_millis(20), 200, vec![], price(symbol(url))));
    let begun = tokio::time::Instant::now();
    let (settled, _) = run_all(&told, jobs((0..50).map(|n| format!("S{n}")), "price")).await;
    assert!(settled.iter().all(|it| it["outcome"] == "fetched"));
    assert_eq!(told.most.get(), AT_ONCE);
    assert_eq!(
        begun.elapsed(),
        Duration::from_millis(150),
        "five rounds of thirty"
    );

    let told = Told::new(|url| (Duration::from_millis(20), 200, vec![], price(symbol(url))));
    run_all(&told, jobs((0..5).map(|_| "AAPL".to_owned()), "price")).await;
    assert_eq!(told.most.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_a_429_the_rest_is_snoozed_without_a_call() {
    let told = Told::new(|_| {
        (
            NO_TIME,
            429,
            vec![("retry-after", "17".into())],
            String::new(),
        )
    });
    let (settled, pauses) = run_all(&told, jobs((0..50).map(|n| format!("S{n}")), "price")).await;
    assert!(
        told.calls.borrow().len() <= AT_ONCE,
        "{} calls",
        told.calls.borrow().len()
    );
    assert_eq!(settled.len(), 50);
    assert!(
        settled
            .iter()
            .all(|it| it["outcome"] == "snoozed" && it["delay_seconds"] == 17.0)
    );
    assert_eq!(pauses, BTreeMap::from([("fmp".to_owned(), 17.0)]));
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_retry_after_is_understood() {
    let soon = (chrono::Utc::now() + chrono::Duration::seconds(40)).to_rfc2822();
    for (header, value, least, most) in [
        ("retry-after", "17", 17.0, 17.0),
        ("retry-after", "0", 1.0, 1.0),
        ("retry-after", "99999999", 3600.0, 3600.0),
        ("retry-after", soon.as_str(), 30.0, 41.0),
        ("retry-after", "soon", 30.0, 30.0),
        ("x-ratelimit-reset", "12", 12.0, 12.0),
        ("x-other", "", 30.0, 30.0),
    ] {
        let value = value.to_owned();
        let settled =
            one(move |_| (NO_TIME, 429, vec![(header, value.clone())], String::new())).await;
        let delay = settled["delay_seconds"].as_f64().unwrap();
        assert!((least..=most).contains(&delay), "{header}: {delay}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_slows_down_before_the_limit() {
    let told = Told::new(|url| {
        let headers = vec![
            ("x-ratelimit-remaining", "0".into()),
            ("x-ratelimit-reset", "20".into()),
        ];
        (Duration::from_millis(20), 200, headers, price(symbol(url)))
    });
    let (settled, pauses) = run_all(&told, jobs((0..50).map(|n| format!("S{n}")), "price")).await;
    assert_eq!(
        told.calls.borrow().len(),
        AT_ONCE,
        "those that had started before the first answer"
    );
    assert_eq!(
        settled
            .iter()
            .filter(|it| it["outcome"] == "snoozed")
            .count(),
        40
    );
    assert_eq!(pauses["fmp"], 20.0);
}

#[tokio::test(start_paused = true)]
async fn when_time_runs_short_what_is_done_is_settled_and_the_rest_released() {
    let told = Told::new(|url| (Duration::from_secs(6), 200, vec![], price(symbol(url))));
    let begun = tokio::time::Instant::now();
    let (settled, _) = run_all(&told, jobs((0..50).map(|n| format!("S{n}")), "price")).await;
    let count = |outcome| settled.iter().filter(|it| it["outcome"] == outcome).count();
    assert_eq!((count("fetched"), count("released")), (20, 30));
    assert!(begun.elapsed() < LAST_START + LONGEST_CALL);
}
