//! Why a connection could not be had, and what an operator can do about it.

use rustls::CertificateError;
use rustls::pki_types::pem;
use tokio_postgres::error::SqlState;

use super::{Config, host};

/// Why a connection could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL itself is wrong.
    #[error("the database URL is not valid; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Url(#[source] tokio_postgres::Error),
    /// The URL names no host.
    #[error("the database URL names no host; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    NoHost,
    /// A word that libpq does not know either.
    #[error(
        "sslmode={0} is not known; use disable, prefer, require, verify-ca or verify-full (the safe one)"
    )]
    Mode(String),
    /// An authority is named, and nothing would be checked with it.
    #[error(
        "a certificate authority is given (sslrootcert or GRISTMILL_DATABASE_CA), but without sslmode nothing is checked: add sslmode=verify-full to the database URL"
    )]
    UnusedAuthority,
    /// One of the two is missing.
    #[error("sslcert and sslkey belong together: give both or none")]
    HalfCertificate,
    /// A file with certificates or a key cannot be read.
    #[error("{what} cannot be read as PEM")]
    Pem {
        /// The file, or the variable that holds the text.
        what: String,
        /// What is wrong with it.
        #[source]
        source: pem::Error,
    },
    /// A file without a certificate.
    #[error("{what} holds no certificate; expected -----BEGIN CERTIFICATE-----")]
    NoCertificate {
        /// The file, or the variable that holds the text.
        what: String,
    },
    /// No system certificate could be read, so no TLS peer could be trusted.
    #[error(
        "no certificate authority was found on this system (on Debian: apt-get install ca-certificates); or name one: sslrootcert=FILE in the database URL"
    )]
    NoRoots,
    /// TLS could not be set up.
    #[error("TLS could not be set up")]
    Tls(#[from] rustls::Error),
    /// The server could not prove who it is.
    #[error("the certificate of Postgres at {host} {why}")]
    Certificate {
        /// Host and port, without credentials.
        host: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// The server is not set up for TLS.
    #[error(
        "Postgres at {host} speaks no TLS, and sslmode asks for it: set ssl = on at the server, or say sslmode=disable where nobody else can reach the network"
    )]
    NoTls {
        /// Host and port, without credentials.
        host: String,
    },
    /// pg_hba.conf has no line for an unencrypted connection.
    #[error(
        "Postgres at {host} refuses connections without TLS from here, or this user at all: add sslmode=verify-full to the database URL, or look at the server's pg_hba.conf"
    )]
    TlsWanted {
        /// Host and port, without credentials.
        host: String,
        /// What the server said.
        #[source]
        source: tokio_postgres::Error,
    },
    /// Sessions of several clients share one of the server's.
    #[error(
        "{host} is a pooler in transaction mode, where locks, LISTEN and prepared statements do not last: give the address of Postgres itself, or of the pooler's session mode"
    )]
    Pooler {
        /// Host and port, without credentials.
        host: String,
    },
    /// A pooler that takes no options is not Postgres itself.
    #[error("{host} is a pooler that refuses startup options: give the address of Postgres itself")]
    Options {
        /// Host and port, without credentials.
        host: String,
    },
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

/// The driver's error as one that says what to do, where that is known.
pub(super) fn explain(config: &Config, source: tokio_postgres::Error) -> Error {
    let host = host(config);
    if let Some(error) = certificate_error(&source) {
        let why = advice(error);
        return Error::Certificate { host, why };
    }
    // The driver has no better way to tell this one.
    if config.must_encrypt() && chain(&source).any(|e| e.to_string().contains("not support TLS")) {
        return Error::NoTls { host };
    }
    let wants_tls = source.as_db_error().is_some_and(|error| {
        *error.code() == SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            && error.message().contains("pg_hba.conf")
    });
    if wants_tls && !config.must_encrypt() {
        return Error::TlsWanted { host, source };
    }
    // pgbouncer's words; Postgres itself takes options.
    let refuses_options = source.as_db_error().is_some_and(|error| {
        *error.code() == SqlState::PROTOCOL_VIOLATION
            && error.message().contains("startup parameter")
    });
    if refuses_options {
        return Error::Options { host };
    }
    Error::Connect { host, source }
}

fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

fn certificate_error(error: &tokio_postgres::Error) -> Option<&CertificateError> {
    chain(error).find_map(|error| {
        // An io::Error hides what it was made of from its chain of sources.
        let inner = error.downcast_ref::<std::io::Error>()?.get_ref()?;
        match inner.downcast_ref::<rustls::Error>()? {
            rustls::Error::InvalidCertificate(error) => Some(error),
            _ => None,
        }
    })
}

fn advice(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "is not of a certificate authority that is trusted here: name the authority's file by sslrootcert=FILE in the database URL, or give it as GRISTMILL_DATABASE_CA".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "has expired: renew it at the server, then reload Postgres".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet: compare the clocks of both machines".to_owned()
        }
        CertificateError::NotValidForName => {
            "is for another host name: connect by a name that is in it, or say sslmode=verify-ca if the authority issues for your servers alone".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names = match presented.as_slice() {
                [] => "names no host (subjectAltName is empty)".to_owned(),
                names => format!("is for another host name ({})", names.join(", ")),
            };
            format!("{names}: connect by a name that is in it, or say sslmode=verify-ca if the authority issues for your servers alone")
        }
        other => format!("is not accepted: {other}"),
    }
}
