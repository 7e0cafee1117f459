//! Connections to Postgres: one place that reads the URL, knows about TLS and tries every host of the URL.

mod address;
mod failure;
mod pooler;
mod tls;

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, CancelToken, Client, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use failure::Error;
pub use pooler::connect_session;
pub use tls::system_roots as tls_config;

/// Longest that connecting to one host and logging in may take together, unless the URL says otherwise.
const LOGIN: Duration = Duration::from_secs(10);

/// A quiet connection is probed after so long, as often, and given up after so many probes: a peer that has
/// vanished is noticed within half a minute, where the system's default is two hours.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_PROBES: u32 = 3;
/// Longest that sent bytes may stay unacknowledged.
const UNACKNOWLEDGED: Duration = Duration::from_secs(15);

/// What the server says beside its answers: notifications and notices.
pub type Messages = tokio::sync::mpsc::UnboundedReceiver<AsyncMessage>;

/// Where Postgres is, as whom to log in, and how to speak TLS with it. The driver's own configuration is inside.
#[derive(Clone)]
pub struct Config {
    driver: tokio_postgres::Config,
    /// None with `sslmode=disable`.
    tls: Option<MakeRustlsConnect>,
    is_verified: bool,
}

impl Deref for Config {
    type Target = tokio_postgres::Config;

    fn deref(&self) -> &Self::Target {
        &self.driver
    }
}

impl DerefMut for Config {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.driver
    }
}

impl Config {
    /// How to encrypt; None where the URL says `sslmode=disable`.
    pub fn tls(&self) -> Option<MakeRustlsConnect> {
        self.tls.clone()
    }

    /// Whether a server that speaks no TLS is refused.
    pub fn must_encrypt(&self) -> bool {
        self.get_ssl_mode() == SslMode::Require
    }

    /// Whether the server has to prove by a certificate who it is.
    pub fn is_verified(&self) -> bool {
        self.is_verified
    }

    /// Whether Postgres is reached by a socket file or a loopback address alone: nobody can listen in between.
    pub fn is_local(&self) -> bool {
        self.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => {
                name == "localhost"
                    || name
                        .parse()
                        .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        })
    }

    /// The same for each host of the URL alone, in order: a host that hangs must not take the time of the next one.
    pub fn each_host(&self) -> Vec<Self> {
        let hosts = self.get_hosts();
        let addresses = self.get_hostaddrs();
        (0..hosts.len().max(addresses.len()))
            .map(|place| {
                let mut driver = self.without_hosts();
                match hosts.get(place) {
                    Some(Host::Tcp(name)) => drop(driver.host(name)),
                    #[cfg(unix)]
                    Some(Host::Unix(folder)) => drop(driver.host_path(folder)),
                    None => {}
                }
                if let Some(address) = addresses.get(place) {
                    driver.hostaddr(*address);
                }
                let ports = self.get_ports();
                driver.port(ports.get(place).or(ports.first()).copied().unwrap_or(5432));
                Self {
                    driver,
                    ..self.clone()
                }
            })
            .collect()
    }

    // The driver has no way to take a host out of a configuration.
    fn without_hosts(&self) -> tokio_postgres::Config {
        let from = &self.driver;
        let mut to = tokio_postgres::Config::new();
        to.ssl_mode(from.get_ssl_mode())
            .ssl_negotiation(from.get_ssl_negotiation())
            .keepalives(from.get_keepalives())
            .keepalives_idle(from.get_keepalives_idle())
            .target_session_attrs(from.get_target_session_attrs())
            .channel_binding(from.get_channel_binding());
        if let Some(interval) = from.get_keepalives_interval() {
            to.keepalives_interval(interval);
        }
        if let Some(probes) = from.get_keepalives_retries() {
            to.keepalives_retries(probes);
        }
        if let Some(user) = from.get_user() {
            to.user(user);
        }
        if let Some(password) = from.get_password() {
            to.password(password);
        }
        if let Some(name) = from.get_dbname() {
            to.dbname(name);
        }
        if let Some(options) = from.get_options() {
            to.options(options);
        }
        if let Some(name) = from.get_application_name() {
            to.application_name(name);
        }
        if let Some(time) = from.get_connect_timeout() {
            to.connect_timeout(*time);
        }
        if let Some(time) = from.get_tcp_user_timeout() {
            to.tcp_user_timeout(*time);
        }
        to
    }
}

/// Reads a URL and names the process, so that `pg_stat_activity` shows who holds a connection.
pub fn config(url: &str, application_name: &str) -> Result<Config, Error> {
    let (url, wanted) = address::read(url)?;
    let mut driver: tokio_postgres::Config = url.parse().map_err(Error::Url)?;
    if driver.get_application_name().is_none() {
        driver.application_name(application_name);
    }
    driver
        .keepalives(true)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_PROBES)
        .ssl_mode(wanted.mode.of_driver());
    if driver.get_tcp_user_timeout().is_none() {
        driver.tcp_user_timeout(UNACKNOWLEDGED);
    }
    Ok(Config {
        driver,
        is_verified: wanted.verifies(),
        tls: tls::connector(&wanted)?,
    })
}

/// The same bounds for a stream that was not opened by the driver.
pub fn keep_alive(stream: &tokio::net::TcpStream) -> std::io::Result<()> {
    let socket = socket2::SockRef::from(stream);
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(KEEPALIVE_IDLE)
        .with_interval(KEEPALIVE_INTERVAL);
    #[cfg(not(windows))]
    let keepalive = keepalive.with_retries(KEEPALIVE_PROBES);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    Ok(())
}

/// Opens one connection, to the first host that takes it, and drives it in the background until the client is
/// dropped. The driver's own timeout ends when the socket is open; a server may be silent after that too.
pub async fn connect(config: &Config) -> Result<(Client, Messages), Error> {
    let patience = config.get_connect_timeout().copied().unwrap_or(LOGIN);
    let mut last = Error::NoHost;
    for config in config.each_host() {
        match tokio::time::timeout(patience, open(&config)).await {
            Ok(Ok(opened)) => return Ok(opened),
            Ok(Err(error)) => last = error,
            Err(_) => {
                last = Error::Silent {
                    host: host(&config),
                    seconds: patience.as_secs(),
                }
            }
        }
    }
    Err(last)
}

async fn open(config: &Config) -> Result<(Client, Messages), Error> {
    let refused = |source| failure::explain(config, source);
    match config.tls() {
        Some(tls) => {
            let (client, connection) = config.driver.connect(tls).await.map_err(refused)?;
            Ok((client, drive(connection)))
        }
        None => {
            let (client, connection) = config.driver.connect(NoTls).await.map_err(refused)?;
            Ok((client, drive(connection)))
        }
    }
}

/// Asks the server to end what a session does, over a connection that is encrypted as the session is.
pub async fn cancel(config: &Config, token: CancelToken) -> Result<(), tokio_postgres::Error> {
    match config.tls() {
        Some(tls) => token.cancel_query(tls).await,
        None => token.cancel_query(NoTls).await,
    }
}

/// The half of TLS that belongs to one host, for a stream that was not opened by the driver.
pub fn tls_to<S>(
    mut tls: MakeRustlsConnect,
    host: &str,
) -> Result<
    <MakeRustlsConnect as MakeTlsConnect<S>>::TlsConnect,
    <MakeRustlsConnect as MakeTlsConnect<S>>::Error,
>
where
    MakeRustlsConnect: MakeTlsConnect<S>,
{
    MakeTlsConnect::<S>::make_tls_connect(&mut tls, host)
}

fn drive<T>(mut connection: tokio_postgres::Connection<Socket, T>) -> Messages
where
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        // Ends with the connection; the client's own calls carry the error to whoever waits.
        while let Some(Ok(message)) =
            std::future::poll_fn(|context| connection.poll_message(context)).await
        {
            // Nobody may be listening: most callers want the client only.
            let _ = sender.send(message);
        }
    });
    receiver
}

/// `host:port` for messages, of every host; never the user or the password.
pub fn host(config: &tokio_postgres::Config) -> String {
    let ports = config.get_ports();
    let port = |place| ports.get(place).or(ports.first()).copied().unwrap_or(5432);
    let name = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(place, host)| format!("{}:{}", name(host), port(place)))
        .collect();
    hosts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_in_messages_never_carries_the_password() {
        let config = config("postgres://me:canary@127.0.0.1:6543/app", "test").unwrap();
        assert_eq!(host(&config), "127.0.0.1:6543");
    }

    #[test]
    fn every_host_of_a_url_gets_a_configuration_of_its_own() {
        let url =
            "postgres://me:canary@a:1,b:2/app?target_session_attrs=read-write&connect_timeout=3";
        let config = config(url, "test").unwrap();
        assert_eq!(host(&config), "a:1, b:2");
        let each = config.each_host();
        assert_eq!(
            each.iter().map(|c| host(c)).collect::<Vec<_>>(),
            ["a:1", "b:2"]
        );
        for one in each {
            let (mut before, mut after) = (config.driver.clone(), one.driver);
            // All but the hosts is the same; the driver prints every field.
            for config in [&mut before, &mut after] {
                config.host("c").port(3);
            }
            let text = |config: &tokio_postgres::Config| {
                let text = format!("{config:?}");
                let (start, rest) = text.split_once("host: ").unwrap();
                let end = rest.find("connect_timeout").unwrap();
                format!("{start}{}", &rest[end..])
            };
            assert_eq!(text(&before), text(&after));
        }
    }

    #[test]
    fn an_address_on_this_machine_is_known_as_such() {
        let local = |url| config(url, "test").unwrap().is_local();
        assert!(local("postgres://127.0.0.1/app"));
        assert!(local("postgres://localhost/app"));
        assert!(!local("postgres://localhost,db.example.com/app"));
    }
}
