//! What a listener to a stream is told.

use serde::Deserialize;
use serde_json::value::RawValue;

/// One event. Ids grow; they are what Last-Event-ID brings back.
#[derive(Debug, Clone, Deserialize)]
pub struct Event {
    /// Larger than that of every event before.
    pub id: u64,
    /// Its name: what a listener subscribes to.
    pub event: String,
    /// JSON.
    pub data: Box<RawValue>,
}

/// What a poll found.
#[derive(Debug, Deserialize)]
pub struct Polled {
    /// In the order of their ids, all above the one that was asked for.
    pub events: Vec<Event>,
    /// Nothing will come after these.
    pub ended: bool,
}
