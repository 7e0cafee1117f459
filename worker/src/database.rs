//! Connections to Postgres: one place that knows about TLS and names the process to the server.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::RootCertStore;
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

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
    Ok(config)
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

/// Opens one connection and drives it in the background until the client is dropped.
pub async fn connect(config: &Config) -> Result<(Client, Messages), Error> {
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
