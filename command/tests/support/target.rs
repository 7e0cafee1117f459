//! An HTTP server that remembers what it was asked and answers what a test wants.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) at: Instant,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

/// What to answer.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Status, header lines, body.
    Now(u16, Vec<String>, Vec<u8>),
    /// 200 after a while.
    After(Duration),
    /// Nothing until `Target::release`, then 200.
    Held,
}

impl Reply {
    /// 200 with a short text.
    pub(crate) fn ok() -> Self {
        Self::Now(
            200,
            vec!["content-type: text/plain".to_owned()],
            b"ok".to_vec(),
        )
    }

    /// A redirect.
    pub(crate) fn to(status: u16, location: &str) -> Self {
        Self::Now(status, vec![format!("location: {location}")], Vec::new())
    }
}

struct Shared {
    seen: Mutex<Vec<Seen>>,
    reply: Box<dyn Fn(&Seen) -> Reply + Send + Sync>,
    released: watch::Sender<bool>,
    busy: AtomicUsize,
    busiest: AtomicUsize,
}

/// A server on a loopback port of its own.
#[derive(Clone)]
pub(crate) struct Target {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Target {
    /// Answers each request by the given rule.
    pub(crate) async fn start(reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            seen: Mutex::default(),
            reply: Box::new(reply),
            released: watch::channel(false).0,
            busy: AtomicUsize::new(0),
            busiest: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                tokio::spawn(async move {
                    // A peer that hangs up is what many tests are about.
                    let _ = serve(stream, &shared).await;
                });
            }
        });
        Self { address, shared }
    }

    /// `http://127.0.0.1:PORT` and a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Waits until so many requests have arrived.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Seen> {
        let begun = Instant::now();
        loop {
            let seen = self.seen();
            if seen.len() >= count {
                return seen;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{} of {count} requests arrived",
                seen.len()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets held requests, and all later ones, be answered.
    pub(crate) fn release(&self) {
        self.shared.released.send_replace(true);
    }

    /// The most requests that were being answered at once.
    pub(crate) fn busiest(&self) -> usize {
        self.shared.busiest.load(Ordering::SeqCst)
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(seen) = read(&mut stream).await? {
        let reply = (shared.reply)(&seen);
        shared.seen.lock().unwrap().push(seen);
        let busy = shared.busy.fetch_add(1, Ordering::SeqCst) + 1;
        shared.busiest.fetch_max(busy, Ordering::SeqCst);
        let (status, headers, body) = match reply {
            Reply::Now(status, headers, body) => (status, headers, body),
            Reply::After(delay) => {
                tokio::time::sleep(delay).await;
                (200, Vec::new(), Vec::new())
            }
            Reply::Held => {
                let mut released = shared.released.subscribe();
                let _ = released.wait_for(|released| *released).await;
                (200, Vec::new(), b"released".to_vec())
            }
        };
        shared.busy.fetch_sub(1, Ordering::SeqCst);
        let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
        for line in headers {
            head.push_str(&line);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await?;
        stream.flush().await?;
    }
    Ok(())
}

async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Seen>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let at = Instant::now();
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(0, |value| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Seen {
        at,
        method,
        path,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    }))
}
