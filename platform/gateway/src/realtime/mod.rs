//! A stand-in for Supabase Realtime, for one use: `postgres_changes` of published tables.
//!
//! [`socket`] speaks with one client in Phoenix's protocol ([`protocol`]). [`source`] has the one connection to Postgres: it listens
//! for changes, asks Postgres as each subscriber's own role what that subscriber may see, and hands it to the sockets.
//! `sql/relay/realtime.sql` is the other half.

mod protocol;
mod socket;
mod source;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, HeaderValue, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{Request, Response, StatusCode};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::Gateway;
use super::auth;
use super::http::{Answer, body};
use gristmill_dialect::refusal::Refusal;
use protocol::Version;
use socket::Outbox;

pub(crate) use source::follow;

/// Sockets at once. Each has a queue of its own, so their number bounds the memory.
const MOST_SOCKETS: usize = 1000;

/// Subscriptions that wait for Postgres.
const FOLLOWS: usize = 64;

/// Who is subscribed to what; one per process.
pub(crate) struct Realtime {
    channels: Mutex<HashMap<Place, Arc<Channel>>>,
    sockets: AtomicUsize,
    last_id: AtomicU64,
    follows: mpsc::Sender<Follow>,
}

/// A channel's topic on one socket.
type Place = (u64, String);

/// One joined channel.
struct Channel {
    topic: String,
    join_ref: Option<String>,
    /// The access token, which the client renews. It is verified again for every delivery.
    token: Mutex<String>,
    bindings: Vec<Binding>,
    outbox: Outbox,
}

/// What a channel wants to know.
struct Binding {
    id: u64,
    event: Event,
    schema: String,
    /// None for every table of the schema.
    table: Option<String>,
    filter: Option<Filter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    All,
    Insert,
    Update,
    Delete,
}

/// `column=operator.value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Filter {
    column: String,
    operator: String,
    value: String,
}

/// Asks for changes of a table to be written down; answers how many published tables are meant.
pub(crate) struct Follow {
    schema: String,
    table: Option<String>,
    reply: oneshot::Sender<Result<usize, String>>,
}

impl Realtime {
    /// Nothing where the stand-in is not wanted.
    pub(super) fn new(is_wanted: bool) -> (Option<Self>, mpsc::Receiver<Follow>) {
        let (follows, receiver) = mpsc::channel(FOLLOWS);
        let realtime = is_wanted.then(|| Self {
            channels: Mutex::default(),
            sockets: AtomicUsize::default(),
            last_id: AtomicU64::default(),
            follows,
        });
        (realtime, receiver)
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Relaxed) + 1
    }

    fn channels(&self) -> MutexGuard<'_, HashMap<Place, Arc<Channel>>> {
        // Nothing panics while it is held, and a map is whole between two calls.
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Vec<(Place, Arc<Channel>)> {
        let channels = self.channels();
        channels
            .iter()
            .map(|(place, channel)| (place.clone(), channel.clone()))
            .collect()
    }
}

impl Channel {
    fn token(&self) -> MutexGuard<'_, String> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Turns a request into a websocket.
pub(crate) fn accept(
    gateway: &Arc<Gateway>,
    mut request: Request<Incoming>,
) -> Result<Answer, Refusal> {
    let Some(realtime) = &gateway.realtime else {
        return Err(Refusal::NoTarget("/realtime/v1"));
    };
    if request.uri().path() != "/realtime/v1/websocket" {
        return Err(Refusal::Path);
    }
    let headers = request.headers();
    let is_websocket = headers
        .get(UPGRADE)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"));
    let version = headers
        .get(SEC_WEBSOCKET_VERSION)
        .is_some_and(|value| value == "13");
    let key = headers.get(SEC_WEBSOCKET_KEY);
    let (true, true, Some(key)) = (is_websocket, version, key) else {
        return Ok(plain(
            StatusCode::UPGRADE_REQUIRED,
            "this address speaks websocket only",
        ));
    };
    let accepted = derive_accept_key(key.as_bytes());
    // A browser applies no CORS to a WebSocket, but it says whose page opens one. Programs send no origin.
    let is_foreign = headers.get(ORIGIN).is_some_and(|origin| {
        let origin = origin.to_str().ok();
        origin.is_none_or(|origin| gateway.settings.origins.allowed(origin).is_none())
    });
    if is_foreign {
        return Ok(plain(
            StatusCode::FORBIDDEN,
            "pages of this origin may not open a websocket here; CORS_ORIGINS lists those that may",
        ));
    }

    let query = request.uri().query().unwrap_or_default();
    let parameter = |name: &str| {
        form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    };
    let vsn = Version::named(parameter("vsn").as_deref());
    let token = parameter("apikey").ok_or(Refusal::TokenRequired)?;
    auth::identify_token(&token, &gateway.settings, String::new)?;
    if realtime.sockets.load(Relaxed) >= MOST_SOCKETS {
        return Ok(plain(
            StatusCode::SERVICE_UNAVAILABLE,
            "there are too many websockets",
        ));
    }

    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(socket::serve(gateway.clone(), upgrade, vsn, token));
    let mut answer = Response::new(body::empty());
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = answer.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(value) = HeaderValue::try_from(accepted) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, value);
    }
    Ok(answer)
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(body::whole(text));
    *answer.status_mut() = status;
    if status == StatusCode::UPGRADE_REQUIRED {
        let headers = answer.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    }
    answer
}
