//! What a way to send a request answers with, and the way where there is none.

/// An answer, whatever its status.
#[cfg_attr(
    not(any(feature = "client", feature = "edge")),
    allow(dead_code, reason = "without a way to send there are no answers")
)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) date: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[allow(dead_code, reason = "which of them occur depends on the features")]
pub(crate) enum Unsent {
    /// The address or a header cannot be sent.
    Unusable(String),
    /// No connection, or it broke.
    Lost(String),
}

/// A build without the features `client` and `edge`, or of an edge function for the machine that compiles it.
#[cfg(not(any(
    all(feature = "client", not(target_arch = "wasm32")),
    all(feature = "edge", target_arch = "wasm32")
)))]
#[derive(Clone)]
pub(crate) struct Transport;

#[cfg(not(any(
    all(feature = "client", not(target_arch = "wasm32")),
    all(feature = "edge", target_arch = "wasm32")
)))]
impl Transport {
    pub(crate) fn new(_url: &str) -> Self {
        Self
    }

    pub(crate) async fn post(
        &self,
        _url: &str,
        _headers: &[(&str, &str)],
        _body: String,
    ) -> Result<Answer, Unsent> {
        let said = "this build has no way to send: turn on the feature `client`, or `edge` for WebAssembly";
        Err(Unsent::Unusable(said.to_owned()))
    }
}
