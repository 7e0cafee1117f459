//! Throughput of a trivial call through the gateway, beside pgbench doing the same call on the same
//! Postgres in the same run.
//!
//! `cargo bench --profile quick --bench gateway` (GRISTMILL_BENCH_SECONDS=5 a measurement unless told).
//! Rates depend on what else the machine does, and a gateway with ten connections gets a smaller share of a
//! busy one than pgbench with fifty. Processor time a call is printed too; load moves it less (80 to 116 µs seen).
//! The two take turns, so that a busy machine is busy for both; the middle one of three counts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use support::{POSTGRES, Stack, token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const CONNECTIONS: usize = 50;
const ROUNDS: usize = 3;

/// One measurement of the gateway.
struct Measured {
    rate: f64,
    p50: Duration,
    p99: Duration,
}

fn main() {
    let seconds = std::env::var("GRISTMILL_BENCH_SECONDS").ok();
    let seconds: u64 = seconds.and_then(|text| text.parse().ok()).unwrap_or(5);
    let stack = Stack::start();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    // The first calls open connections and prepare statements.
    runtime.block_on(measure(&stack.url, Duration::from_secs(1)));

    let mut gateway = Vec::new();
    let mut pgbench = Vec::new();
    let mut spent = Spent::default();
    for _ in 0..ROUNDS {
        let before = stack.postgres_time();
        let rate = run_pgbench(&stack.port, seconds);
        spent.pgbench_postgres += stack.postgres_time() - before;
        spent.pgbench_calls += rate * seconds as f64;
        pgbench.push(rate);

        let before = (stack.gateway_time(), stack.postgres_time());
        let measured = runtime.block_on(measure(&stack.url, Duration::from_secs(seconds)));
        spent.gateway += stack.gateway_time() - before.0;
        spent.gateway_postgres += stack.postgres_time() - before.1;
        spent.gateway_calls += measured.rate * seconds as f64;
        gateway.push(measured);
    }
    pgbench.sort_by(f64::total_cmp);
    gateway.sort_by(|left, right| left.rate.total_cmp(&right.rate));
    let (pgbench, gateway) = (pgbench[ROUNDS / 2], &gateway[ROUNDS / 2]);

    println!(
        "{CONNECTIONS} connections, select api.one(), middle of {ROUNDS} rounds of {seconds} s"
    );
    println!("pgbench  {pgbench:>8.0} calls/s");
    println!(
        "gateway  {:>8.0} calls/s   p50 {:.2} ms   p99 {:.2} ms   {:.1} MB resident",
        gateway.rate,
        gateway.p50.as_secs_f64() * 1e3,
        gateway.p99.as_secs_f64() * 1e3,
        stack.gateway_megabytes(),
    );
    println!(
        "ratio    {:>8.2}   (asked for: 0.5, and 5576 calls/s on an idle machine)",
        gateway.rate / pgbench
    );
    spent.print();
}

/// Processor time in seconds, and the calls it was spent on.
#[derive(Default)]
struct Spent {
    gateway: f64,
    gateway_postgres: f64,
    gateway_calls: f64,
    pgbench_postgres: f64,
    pgbench_calls: f64,
}

impl Spent {
    fn print(&self) {
        println!(
            "processor time a call: gateway {:.0} µs, its Postgres {:.0} µs; pgbench's Postgres {:.0} µs",
            self.gateway / self.gateway_calls * 1e6,
            self.gateway_postgres / self.gateway_calls * 1e6,
            self.pgbench_postgres / self.pgbench_calls * 1e6,
        );
    }
}

fn run_pgbench(port: &str, seconds: u64) -> f64 {
    let script = std::env::temp_dir().join(format!("gristmill-bench-{}.sql", std::process::id()));
    std::fs::write(&script, "select api.one();\n").unwrap();
    let connections = CONNECTIONS.to_string();
    let output = Command::new(format!("{POSTGRES}/pgbench"))
        .args([
            "-n",
            "-h",
            "127.0.0.1",
            "-p",
            port,
            "-U",
            "postgres",
            "-j",
            "1",
        ])
        .args(["-c", &connections, "-T", &seconds.to_string(), "-f"])
        .arg(&script)
        .arg("postgres")
        .output()
        .unwrap();
    let _ = std::fs::remove_file(&script);
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("tps = "));
    let rate = line.and_then(|line| line.split_whitespace().nth(2));
    rate.expect("pgbench told no rate").parse().unwrap()
}

/// Calls over kept connections for a while, one call at a time on each.
async fn measure(url: &str, time: Duration) -> Measured {
    let address = url.trim_start_matches("http://").to_owned();
    let bearer = token(&serde_json::json!({ "role": "service_role" }));
    let request: Arc<[u8]> = format!(
        "POST /rpc/one HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {bearer}\r\n\
         content-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
    )
    .into_bytes()
    .into();
    let stop = Arc::new(AtomicBool::new(false));
    let started = Instant::now();
    let callers: Vec<_> = (0..CONNECTIONS)
        .map(|_| tokio::spawn(call_until(address.clone(), request.clone(), stop.clone())))
        .collect();
    tokio::time::sleep(time).await;
    stop.store(true, Relaxed);
    let mut latencies = Vec::new();
    for caller in callers {
        latencies.extend(caller.await.unwrap());
    }
    let elapsed = started.elapsed().as_secs_f64();
    latencies.sort();
    let at = |part: f64| latencies[((latencies.len() - 1) as f64 * part) as usize];
    Measured {
        rate: latencies.len() as f64 / elapsed,
        p50: at(0.5),
        p99: at(0.99),
    }
}

async fn call_until(address: String, request: Arc<[u8]>, stop: Arc<AtomicBool>) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut latencies = Vec::new();
    let mut buffer = vec![0; 4096];
    while !stop.load(Relaxed) {
        let started = Instant::now();
        stream.write_all(&request).await.unwrap();
        // The whole answer is the head and one digit; it comes in one piece.
        let mut length = 0;
        while !buffer[..length].ends_with(b"\r\n\r\n1") {
            let read = stream.read(&mut buffer[length..]).await.unwrap();
            assert!(read > 0, "the gateway hung up");
            length += read;
        }
        assert!(buffer.starts_with(b"HTTP/1.1 200"), "the gateway refused");
        latencies.push(started.elapsed());
    }
    latencies
}
