//! A private Postgres with the gateway's test schema, and a gateway in front of it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::postgres::Server;

const SECRET: &str = "test-only-qJ3vI2n0wJp7Zr8yKd5Lx1Tb4Mf6Gc9Ha";

/// The gateway; ended when dropped.
pub(crate) struct Stack {
    gateway: Child,
    /// Where it listens.
    pub(crate) url: String,
    _server: Server,
}

impl Stack {
    pub(crate) async fn start() -> Self {
        let server = Server::start();
        let database = server.database().await;
        // The same schema as the JavaScript tests.
        let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/gateway/schema.sql");
        let schema = std::fs::read_to_string(schema).unwrap();
        database
            .connect()
            .await
            .batch_execute(&schema)
            .await
            .unwrap();
        let login = database
            .url
            .replace("postgres@", "authenticator:authenticator@");
        let (gateway, url) = start_gateway(&login);
        Self {
            gateway,
            url,
            _server: server,
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let _ = self.gateway.kill();
        let _ = self.gateway.wait();
    }
}

/// Starts the gateway and waits for the line that says where it is ready.
fn start_gateway(database: &str) -> (Child, String) {
    let mut gateway = Command::new(env!("CARGO_BIN_EXE_gristmill"))
        .args([
            "gateway",
            "--listen",
            "127.0.0.1:0",
            "--schemas",
            "api,archive",
        ])
        .args([
            "--anon-role",
            "anon",
            "--jwt-secret",
            SECRET,
            "--database-url",
            database,
        ])
        .env("GRISTMILL_LOG", "info")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(gateway.stderr.take().unwrap()).lines();
    let ready = lines
        .by_ref()
        .map(|line| line.unwrap())
        .find(|line| line.contains("gateway ready"))
        .expect("the gateway ended before it was ready");
    let said: serde_json::Value = serde_json::from_str(&ready).unwrap();
    let url = said["address"].as_str().unwrap().to_owned();
    // Somebody must read on, or a full pipe would stop the gateway.
    std::thread::spawn(move || lines.for_each(drop));
    (gateway, url)
}

/// A token signed with the stack's secret.
pub(crate) fn token(claims: &serde_json::Value) -> String {
    let signed = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256"}"#),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
    let tag = ring::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag))
}
