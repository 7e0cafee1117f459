//! A Postgres for tests: private, in a temporary folder, gone when the test process is.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

static SHARED: OnceLock<Server> = OnceLock::new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// A running server, or the one that GRISTMILL_TEST_DATABASE_URL names.
pub(crate) struct Server {
    url: String,
    own: Option<Own>,
}

struct Own {
    bin: PathBuf,
    folder: PathBuf,
    /// Stops the server and removes the folder when its standard input ends, that is: when this process
    /// does, however it does.
    _guardian: Child,
}

impl Server {
    /// The server that most tests share, each with a database of its own.
    pub(crate) fn shared() -> &'static Self {
        SHARED.get_or_init(|| match std::env::var("GRISTMILL_TEST_DATABASE_URL") {
            Ok(url) => Self { url, own: None },
            Err(_) => Self::start(),
        })
    }

    /// A server of the test's own.
    pub(crate) fn start() -> Self {
        let bin = std::env::var("GRISTMILL_TEST_PG_BIN").map_or_else(|_| debian(), PathBuf::from);
        Self::start_in(bin, &[])
    }

    /// A server with the real pg_cron, which only Debian's packages bring.
    pub(crate) fn with_pg_cron() -> Self {
        let settings = [
            "shared_preload_libraries = 'pg_cron'",
            "cron.database_name = 'postgres'",
            "cron.use_background_workers = off",
            "cron.host = '127.0.0.1'",
        ];
        Self::start_in(debian(), &settings)
    }

    /// Starts programs of one folder with further lines for postgresql.conf.
    fn start_in(bin: PathBuf, settings: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!(
            "gristmill-pg-{}-{}",
            std::process::id(),
            DATABASES.fetch_add(1, Ordering::Relaxed)
        ));
        fs::create_dir_all(&folder).unwrap();
        if let Some((uid, gid)) = unprivileged() {
            chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let data = folder.join("data");
        run(postgres_command(&bin, "initdb").arg("-D").arg(&data).args([
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--no-sync",
        ]));
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut conf = fs::read_to_string(data.join("postgresql.conf")).unwrap();
        conf.push_str(&format!(
            "\nport = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{}'\n\
             fsync = off\nmax_connections = 300\n",
            folder.display()
        ));
        for line in settings {
            conf.push_str(&format!("{line}\n"));
        }
        fs::write(data.join("postgresql.conf"), conf).unwrap();
        let guardian = Command::new("sh")
            .arg("-c")
            .arg("trap '' INT TERM; cat > /dev/null; kill -QUIT \"$(head -1 \"$0/data/postmaster.pid\")\"; sleep 0.2; rm -rf \"$0\"")
            .arg(&folder)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let server = Self {
            url: format!("postgres://postgres@127.0.0.1:{port}"),
            own: Some(Own {
                bin,
                folder,
                _guardian: guardian,
            }),
        };
        server.launch();
        server
    }

    /// Starts a server that was killed.
    pub(crate) fn launch(&self) {
        let own = self.own.as_ref().unwrap();
        run(postgres_command(&own.bin, "pg_ctl")
            .arg("-D")
            .arg(own.folder.join("data"))
            .arg("-l")
            .arg(own.folder.join("log"))
            .args(["-w", "-t", "60", "start"])
            .stdout(Stdio::null()));
    }

    /// Ends the server at once, as a crash would.
    pub(crate) fn kill(&self) {
        let own = self.own.as_ref().unwrap();
        run(postgres_command(&own.bin, "pg_ctl")
            .arg("-D")
            .arg(own.folder.join("data"))
            .args(["-m", "immediate", "stop"])
            .stdout(Stdio::null()));
    }

    /// A new database; its name differs from run to run so that an outside server may be used again.
    pub(crate) async fn database(&self) -> Database {
        let name = format!(
            "relay_{}_{}",
            std::process::id(),
            DATABASES.fetch_add(1, Ordering::Relaxed)
        );
        let admin = connect(&self.named("postgres")).await;
        admin
            .batch_execute(&format!("create database {name}"))
            .await
            .unwrap();
        Database {
            url: self.named(&name),
        }
    }

    /// An existing database.
    pub(crate) fn existing(&self, name: &str) -> Database {
        Database {
            url: self.named(name),
        }
    }

    fn named(&self, database: &str) -> String {
        let base = self
            .url
            .split_once("://")
            .and_then(|(_, rest)| rest.find('/'))
            .map_or(self.url.as_str(), |at| {
                &self.url[..at + self.url.find("://").unwrap() + 3]
            });
        format!("{base}/{database}")
    }
}

/// One test's database.
pub(crate) struct Database {
    /// Where it is, with a superuser's name.
    pub(crate) url: String,
}

impl Database {
    /// A new connection.
    pub(crate) async fn connect(&self) -> Client {
        connect(&self.url).await
    }

    /// A new connection as another role.
    pub(crate) async fn connect_as(&self, role: &str) -> Client {
        let mut config: tokio_postgres::Config = self.url.parse().unwrap();
        let (client, connection) = config.user(role).connect(NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Asks again until the answer is true; a claim that never comes true fails with its own words.
pub(crate) async fn eventually(client: &Client, claim: &str, query: &str) -> Duration {
    let begun = Instant::now();
    loop {
        let row = client.query_one(query, &[]).await.unwrap();
        if row.get::<_, Option<bool>>(0) == Some(true) {
            return begun.elapsed();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {claim}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Postgres refuses to run as root; Debian's packages bring a user for it.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    (id(&["-u"]) == Some(0)).then(|| {
        (
            id(&["-u", "postgres"]).expect("a user named postgres"),
            id(&["-g", "postgres"]).expect("a group of user postgres"),
        )
    })
}

fn postgres_command(bin: &Path, name: &str) -> Command {
    let mut command = Command::new(bin.join(name));
    if let Some((uid, gid)) = unprivileged() {
        command.uid(uid).gid(gid);
    }
    command.current_dir(std::env::temp_dir());
    command
}

/// Where Debian keeps the oldest installed version: what works there works on later ones.
fn debian() -> PathBuf {
    let mut versions: Vec<PathBuf> = fs::read_dir(Path::new("/usr/lib/postgresql"))
        .expect("Postgres: apt-get install postgresql-15 postgresql-15-cron")
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|bin| bin.join("initdb").exists())
        .collect();
    versions.sort();
    versions.into_iter().next().expect("an installed Postgres")
}

fn run(command: &mut Command) {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = child.wait().unwrap();
    if !status.success() {
        let mut said = String::new();
        let _ = child.stderr.take().unwrap().read_to_string(&mut said);
        panic!("{command:?} failed: {said}");
    }
}
