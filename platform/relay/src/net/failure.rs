//! Why a request got no answer, in curl's words: those are what callers of pg_net look for.

use std::error::Error as StdError;
use std::io;

use super::pool::Refused;

/// A request without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("URL using bad/illegal format or missing URL")]
    Url,
    #[error("Unsupported protocol")]
    Protocol,
    #[error("A libcurl function was given a bad argument")]
    Argument,
    #[error("Couldn't resolve host name")]
    Resolve,
    #[error("Couldn't connect to server")]
    Connect,
    #[error("SSL connect error")]
    Tls,
    #[error("SSL peer certificate or SSH remote key was not OK")]
    Certificate,
    #[error("Server returned nothing (no headers, no data)")]
    Nothing,
    #[error("Failure when receiving data from the peer")]
    Receive,
    #[error("Number of redirects hit maximum amount")]
    Redirects,
    #[error("Maximum file size exceeded")]
    Size,
    /// Not curl's: pg_net follows such redirects.
    #[error("Redirect to a private address refused")]
    PrivateRedirect,
}

impl Failure {
    /// What hyper's chain of causes comes to.
    pub(super) fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut cause = Some(error);
        let mut found = Self::Receive;
        while let Some(error) = cause {
            found = Self::of_one(error).unwrap_or(found);
            // An io::Error hides what it wraps from source(): TLS errors and our own come that way.
            cause = match error
                .downcast_ref::<io::Error>()
                .and_then(io::Error::get_ref)
            {
                Some(inner) => Some(inner),
                None => error.source(),
            };
        }
        found
    }

    fn of_one(error: &(dyn StdError + 'static)) -> Option<Self> {
        if let Some(refused) = error.downcast_ref::<Refused>() {
            return Some(match refused {
                Refused::Unknown => Self::Resolve,
                Refused::Private => Self::PrivateRedirect,
            });
        }
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(match tls {
                rustls::Error::InvalidCertificate(_) => Self::Certificate,
                _ => Self::Tls,
            });
        }
        if let Some(client) = error.downcast_ref::<hyper_util::client::legacy::Error>() {
            return client.is_connect().then_some(Self::Connect);
        }
        let text = error.to_string();
        (text == "connection closed before message completed").then_some(Self::Nothing)
    }
}
