//! The relay as users run it: the binary, in a process that a test may kill.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::postgres::{Database, eventually};

/// A running relay; killed when dropped.
pub(crate) struct Relay {
    child: Child,
    log: Arc<Mutex<String>>,
}

impl Relay {
    /// Starts a relay and waits until it serves the database.
    pub(crate) async fn serving(database: &Database, flags: &[&str]) -> Self {
        let relay = Self::start(database, flags);
        relay.wait_for_log("serving").await;
        relay
    }

    /// Starts a relay.
    pub(crate) fn start(database: &Database, flags: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gristmill"))
            .arg("relay")
            .args(["--database-url", &database.url])
            .args(flags)
            .env("GRISTMILL_LOG", "debug")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (lines, kept) = (
            BufReader::new(child.stderr.take().unwrap()).lines(),
            Arc::clone(&log),
        );
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut log = kept.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        Self { child, log }
    }

    /// Installs and waits for the end; true on success.
    pub(crate) fn install(database: &Database) -> bool {
        Command::new(env!("CARGO_BIN_EXE_gristmill"))
            .args(["relay", "--install-only", "--database-url", &database.url])
            .status()
            .unwrap()
            .success()
    }

    /// What the relay has written so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the relay has said something.
    pub(crate) async fn wait_for_log(&self, words: &str) {
        let begun = Instant::now();
        while !self.log().contains(&format!("\"message\":\"{words}")) {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "the relay never said '{words}': {}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, then waits without holding up the test's own servers; true when it left in good order.
    pub(crate) async fn stop(&mut self) -> bool {
        Command::new("kill")
            .arg(self.child.id().to_string())
            .status()
            .unwrap();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // Already gone when a test killed it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until no relay holds the serving lock.
pub(crate) async fn unserved(client: &tokio_postgres::Client) {
    eventually(client, "nobody serves", "select not net._is_served()").await;
}
