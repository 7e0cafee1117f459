//! The way to Postgres: a bounded pool, and one round trip for each request.
//!
//! The driver logs in; from then on a connection speaks the protocol itself ([`wire`]), because what a
//! request needs, several statements behind one synchronisation point, no driver offers. Measured
//! on two shared cores with a trivial call, it took a request from 142 to 97 µs of processor time
//! in the gateway and from 158 to 97 µs in Postgres.
#![allow(
    missing_docs,
    reason = "public for the gateway; a comment stands where the name does not say it"
)]

mod collect;
mod connection;
pub mod limits;
mod login;
mod pool;
mod request;
mod server_error;
mod statement;
mod transaction;
mod vital;
mod wire;

pub use collect::Collected;
pub use pool::{Counts, Pool, PoolGauge, Settings};
pub use request::{Access, Outcome, RowCheck, Transaction};
pub use vital::look_after;
