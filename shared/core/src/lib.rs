//! Words that cross a boundary, as types: a job and its outcome ([`job`]), an export ([`export`]), an event of a stream ([`event`]), an error as
//! the caller sees it ([`problem`]), a signed invocation ([`signature`]), a trace ([`trace`]). Functions and native programs stand on it; it stands on none of ours.

pub mod cors;
pub mod download;
pub mod event;
pub mod export;
pub mod job;
pub mod json;
pub mod problem;
pub mod signature;
pub mod sleep;
pub mod trace;

pub use problem::{Code, Problem, in_range};
pub use sleep::{TimedOut, within};
pub use trace::Traceparent;
