//! The native side of Gristmill, one module per command of the `gristmill` binary.
//!
//! `gateway` speaks PostgREST's dialect, `relay` stands in for pg_net and pg_cron, `migrate` brings
//! a database to the schema in `sql/`, `work` runs jobs, `storage` serves files. Each is a library first, so that tests can drive it.

mod clamd;
pub mod configure;
pub mod database;
pub mod doctor;
pub mod gateway;
pub mod maintenance;
pub mod migrate;
mod patient;
pub mod relay;
pub mod render;
mod serve;
pub mod shutdown;
pub mod storage;
pub mod telemetry;
pub mod top;
pub mod work;
