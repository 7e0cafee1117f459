//! What native programs share: connections to Postgres ([`database`]), an HTTP port ([`serve`]) for readers that may be slow ([`patient`]), bodies
//! that must make progress ([`idle`]), the virus scanner ([`clamd`]), logs ([`telemetry`]) and the end on a signal ([`shutdown`]).

pub mod clamd;
pub mod database;
pub mod idle;
pub mod patient;
pub mod serve;
pub mod shutdown;
pub mod telemetry;
