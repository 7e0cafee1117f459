//! What every Gristmill function and the native worker have in common.
//!
//! Words that cross a boundary are types here: a job and its outcome ([`job`]), an export ([`export`]), an error as the caller
//! sees it ([`problem`]), a signed invocation ([`signature`]). [`rpc`] is the only place that spells the
//! name of a function in Postgres. [`storage`] is where files lie. [`edge`] is the glue to the edge runtime.

pub mod cors;
pub mod download;
#[cfg(feature = "edge")]
pub mod edge;
pub mod export;
pub mod job;
pub mod json;
pub mod problem;
pub mod refresh;
pub mod rpc;
pub mod signature;
mod sleep;
pub mod storage;

pub use problem::{Code, Problem, in_range};
pub use sleep::{TimedOut, within};
