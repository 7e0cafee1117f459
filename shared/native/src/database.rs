//! Connections to Postgres: one place that knows about TLS and names the process to the server.

use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::RootCertStore;
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Longest that connecting and logging in may take together, unless the URL says otherwise.
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

/// Why a connection could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL itself is wrong.
    #[error("the database URL is not valid; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Url(#[source] tokio_postgres::Error),
    /// No system certificate could be read, so no TLS peer could be trusted.
    #[error(
        "no certificate authority was found on this system (on Debian: apt-get install ca-certificates)"
    )]
    NoRoots,
    /// TLS could not be set up.
    #[error("TLS could not be set up")]
    Tls(#[from] rustls::Error),
    /// The server took the connection and then said nothing.
    #[error("Postgres at {host} did not answer within {seconds} s")]
    Silent {
        /// Host and port, without credentials.
        host: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The server is not there, or refused.
    #[error("cannot connect to Postgres at {host}")]
    Connect {
        /// Host and port, without credentials.
        host: String,
        /// What the driver said.
        #[source]
        source: tokio_postgres::Error,
    },
}

/// Parses a URL and names the process, so that `pg_stat_activity` shows who holds a connection.
pub fn config(url: &str, application_name: &str) -> Result<Config, Error> {
    let mut config: Config = url.parse().map_err(Error::Url)?;
    if config.get_application_name().is_none() {
        config.application_name(application_name);
    }
    config
        .keepalives(true)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_PROBES);
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    Ok(config)
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

/// A TLS connector that trusts the system's certificate authorities.
pub fn tls() -> Result<MakeRustlsConnect, Error> {
    Ok(MakeRustlsConnect::new(tls_config()?))
}

/// TLS as a client that trusts the system's certificate authorities.
pub fn tls_config() -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(Error::NoRoots);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// True when the URL asks for TLS by `sslmode=require`; the driver's default `prefer` is taken as
/// plain text, which is what a loopback or in-cluster Postgres speaks.
pub fn wants_tls(config: &Config) -> bool {
    config.get_ssl_mode() == SslMode::Require
}

/// Opens one connection and drives it in the background until the client is dropped. The driver's own
/// timeout ends when the socket is open; a server may be silent after that too.
pub async fn connect(config: &Config) -> Result<(Client, Messages), Error> {
    let patience = config.get_connect_timeout().copied().unwrap_or(LOGIN);
    match tokio::time::timeout(patience, open(config)).await {
        Ok(result) => result,
        Err(_) => Err(Error::Silent {
            host: host(config),
            seconds: patience.as_secs(),
        }),
    }
}

async fn open(config: &Config) -> Result<(Client, Messages), Error> {
    let refused = |source| Error::Connect {
        host: host(config),
        source,
    };
    if wants_tls(config) {
        let (client, connection) = config.connect(tls()?).await.map_err(refused)?;
        Ok((client, drive(connection)))
    } else {
        let (client, connection) = config.connect(NoTls).await.map_err(refused)?;
        Ok((client, drive(connection)))
    }
}

fn drive<S, T>(mut connection: tokio_postgres::Connection<S, T>) -> Messages
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
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

/// `host:port` for messages; never the user or the password.
pub fn host(config: &Config) -> String {
    let host = config
        .get_hosts()
        .first()
        .map_or_else(String::new, |host| match host {
            tokio_postgres::config::Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
        });
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("{host}:{port}")
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
    fn only_sslmode_require_asks_for_tls() {
        assert!(!wants_tls(&config("postgres://h/d", "t").unwrap()));
        assert!(wants_tls(
            &config("postgres://h/d?sslmode=require", "t").unwrap()
        ));
    }
}
