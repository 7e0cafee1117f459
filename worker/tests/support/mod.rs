//! A private Postgres and a gateway in front of it, for tests that drive the gateway from Rust.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Where Debian keeps Postgres' programs.
pub(crate) const POSTGRES: &str = "/usr/lib/postgresql/15/bin";
const SECRET: &str = "test-only-qJ3vI2n0wJp7Zr8yKd5Lx1Tb4Mf6Gc9Ha";

/// Both processes; ended and cleaned up when dropped.
pub(crate) struct Stack {
    postgres: Child,
    gateway: Child,
    folder: PathBuf,
    /// Where the gateway listens.
    pub(crate) url: String,
    /// Where Postgres does.
    #[allow(
        dead_code,
        reason = "each user of this module needs another part of it"
    )]
    pub(crate) port: String,
}

impl Stack {
    pub(crate) fn start() -> Self {
        let folder = std::env::temp_dir().join(format!("gristmill-rust-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let owner = Owner::unprivileged(&folder);
        let data = folder.join("data");
        let made = owner
            .command("initdb")
            .args([
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync",
                "-D",
            ])
            .arg(&data)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success(), "initdb failed");
        let port = free_port().to_string();
        let postgres = owner
            .command("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-p", &port, "-h", "127.0.0.1", "-c", "fsync=off", "-k"])
            .arg(&folder)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        load_schema(&port);
        let (gateway, url) = start_gateway(&port);
        Self {
            postgres,
            gateway,
            folder,
            url,
            port,
        }
    }

    /// Processor time the gateway has used, in seconds.
    #[allow(
        dead_code,
        reason = "each user of this module needs another part of it"
    )]
    pub(crate) fn gateway_time(&self) -> f64 {
        ticks(self.gateway.id(), &[13, 14])
    }

    /// Processor time that Postgres' backends have used, those that ended too.
    #[allow(
        dead_code,
        reason = "each user of this module needs another part of it"
    )]
    pub(crate) fn postgres_time(&self) -> f64 {
        let postmaster = self.postgres.id();
        let children = format!("/proc/{postmaster}/task/{postmaster}/children");
        let children = std::fs::read_to_string(children).unwrap();
        let living = children
            .split_whitespace()
            .map(|pid| ticks(pid.parse().unwrap(), &[13, 14]));
        living.sum::<f64>() + ticks(postmaster, &[15, 16])
    }

    /// What the gateway holds in memory.
    #[allow(
        dead_code,
        reason = "each user of this module needs another part of it"
    )]
    pub(crate) fn gateway_megabytes(&self) -> f64 {
        let status = format!("/proc/{}/status", self.gateway.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
        kilobytes.parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        for process in [&mut self.gateway, &mut self.postgres] {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[allow(
    dead_code,
    reason = "each user of this module needs another part of it"
)]
/// Sums fields of `/proc/PID/stat`, counted from 0; a hundred ticks are a second on Linux.
fn ticks(pid: u32, fields: &[usize]) -> f64 {
    // A backend may end between being listed and being asked.
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return 0.0;
    };
    // The name may hold blanks, but nothing behind its closing parenthesis does.
    let behind_name = stat.rsplit(") ").next().unwrap();
    let values: Vec<&str> = behind_name.split_whitespace().collect();
    let sum: f64 = fields
        .iter()
        .map(|field| values[field - 2].parse::<f64>().unwrap())
        .sum();
    sum / 100.0
}

/// Whom Postgres runs as: it refuses to be root, and Debian's package brings a user for it.
struct Owner(Option<(u32, u32)>);

impl Owner {
    fn unprivileged(folder: &Path) -> Self {
        if id(&["-u"]) != 0 {
            return Self(None);
        }
        let (uid, gid) = (id(&["-u", "postgres"]), id(&["-g", "postgres"]));
        std::os::unix::fs::chown(folder, Some(uid), Some(gid)).unwrap();
        Self(Some((uid, gid)))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(Path::new(POSTGRES).join(program));
        if let Some((uid, gid)) = self.0 {
            command.uid(uid).gid(gid);
        }
        command
    }
}

fn id(args: &[&str]) -> u32 {
    let output = Command::new("id").args(args).output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Loads the schema that the JavaScript tests use too, as soon as the server takes connections.
fn load_schema(port: &str) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/gateway/schema.sql");
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let loaded = Command::new(Path::new(POSTGRES).join("psql"))
            .args([
                "-q",
                "-1",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                "127.0.0.1",
                "-p",
                port,
            ])
            .args(["-U", "postgres", "-d", "postgres"])
            .stdin(File::open(&schema).unwrap())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        if loaded.success() {
            return;
        }
        assert!(Instant::now() < deadline, "the schema could not be loaded");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Starts the gateway and waits for the line that says where it is ready.
fn start_gateway(port: &str) -> (Child, String) {
    let database = format!("postgres://authenticator:authenticator@127.0.0.1:{port}/postgres");
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
            &database,
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
