//! Standard Webhooks: is this request from our Postgres, and is it fresh? It is the library's.

pub use gristmill::signature::{BadKey, Key, Refused, TOLERANCE_SECONDS};
