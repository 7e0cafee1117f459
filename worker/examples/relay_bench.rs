//! Measures `gristmill relay`: commit to sent, one at a time, then the rate it holds for some seconds.
//!
//! `cargo run --profile quick --example relay_bench -- postgres://… [SECONDS] [RATE]` with a relay serving
//! that database. Prints one JSON object. The target is a server in this process, so both ends of a
//! measurement share a clock. A client adds requests at RATE a second in batches of a fifth of a second.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_postgres::{Client, NoTls};

const SINGLES: usize = 300;

#[derive(Default)]
struct Sink {
    count: AtomicU64,
    arrivals: Mutex<Vec<Instant>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments
        .next()
        .ok_or("usage: relay_bench URL [SECONDS] [RATE]")?;
    let seconds: u64 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let rate: u64 = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    tokio::spawn(connection);
    client
        .batch_execute("select net.check_worker_is_up()")
        .await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let target = format!("http://{}/", listener.local_addr()?);
    let sink = Arc::new(Sink::default());
    tokio::spawn(accept(listener, Arc::clone(&sink)));

    let latency = latencies(&client, &target, &sink).await?;
    let held = hold(&client, &target, &sink, seconds, rate).await?;
    println!(
        "{{\"commit_to_sent_p50_ms\": {:.2}, \"commit_to_sent_p99_ms\": {:.2}, \"asked_per_second\": {rate}, \
         \"sent_per_second\": {:.0}, \"seconds\": {seconds}, \"last_sent_after_last_commit_ms\": {:.0}}}",
        latency[SINGLES / 2].as_secs_f64() * 1e3,
        latency[SINGLES * 99 / 100].as_secs_f64() * 1e3,
        held.0,
        held.1.as_secs_f64() * 1e3,
    );
    Ok(())
}

/// From the moment the commit is known here until the request's first line is read; sorted.
async fn latencies(
    client: &Client,
    target: &str,
    sink: &Sink,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let mut took = Vec::with_capacity(SINGLES);
    for sent in 1..=SINGLES {
        client
            .execute("select net.http_post($1)", &[&target])
            .await?;
        let committed = Instant::now();
        while sink.count.load(Ordering::Acquire) < sent as u64 {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        let arrived = sink
            .arrivals
            .lock()
            .map_err(|_| "poisoned")?
            .last()
            .copied();
        took.push(arrived.map_or(Duration::ZERO, |at| at.saturating_duration_since(committed)));
    }
    took.sort();
    Ok(took)
}

/// Requests a second that arrived while as many were asked for, and how long the last one lagged.
async fn hold(
    client: &Client,
    target: &str,
    sink: &Sink,
    seconds: u64,
    rate: u64,
) -> Result<(f64, Duration), Box<dyn Error>> {
    let before = sink.count.load(Ordering::Acquire);
    let begun = Instant::now();
    let batch = i32::try_from(rate / 5)?;
    let mut tick = tokio::time::interval(Duration::from_millis(200));
    for _ in 0..seconds * 5 {
        tick.tick().await;
        client
            .execute(
                "select net.http_post($1) from generate_series(1, $2)",
                &[&target, &batch],
            )
            .await?;
    }
    let committed = Instant::now();
    let all = before + seconds * 5 * u64::try_from(batch)?;
    while sink.count.load(Ordering::Acquire) < all {
        if committed.elapsed() > Duration::from_secs(60) {
            return Err("requests are missing a minute after the last commit".into());
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let lag = committed.elapsed();
    Ok(((all - before) as f64 / begun.elapsed().as_secs_f64(), lag))
}

async fn accept(listener: TcpListener, sink: Arc<Sink>) {
    while let Ok((stream, _)) = listener.accept().await {
        let sink = Arc::clone(&sink);
        tokio::spawn(async move {
            // The relay closing a connection is no news.
            let _ = answer(stream, &sink).await;
        });
    }
}

/// Reads requests with the two-byte body `{}` and answers each.
async fn answer(stream: TcpStream, sink: &Sink) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        if let Ok(mut arrivals) = sink.arrivals.lock() {
            arrivals.push(Instant::now());
        }
        sink.count.fetch_add(1, Ordering::Release);
        while line.trim_end() != "" {
            line.clear();
            stream.read_line(&mut line).await?;
        }
        let mut body = [0; 2];
        tokio::io::AsyncReadExt::read_exact(&mut stream, &mut body).await?;
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
            .await?;
    }
}
