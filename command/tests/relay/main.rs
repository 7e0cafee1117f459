//! What `gristmill relay` promises, asked of the binary and a real Postgres.

// clippy.toml allows these in #[test] functions only; a helper that fails is a failed test as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crash;
mod cron;
mod install;
mod net;
mod redirect;
mod surface;

#[path = "../support/mod.rs"]
mod support;
