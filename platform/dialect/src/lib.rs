//! PostgREST's dialect: from a query string and what is known of the schema to one SQL statement, and every way to say no.
//!
//! [`query`], [`preferences`] and [`range`] parse what a request asks for, [`catalog`] is what the schema has, [`sql`] writes the statement. [`refusal`] lists every refusal with
//! PostgREST's codes, statuses and words. Nothing here speaks to Postgres or to a client.
#![allow(
    missing_docs,
    reason = "public for the gateway and its pool; a comment stands where the name does not say it"
)]

pub mod catalog;
pub mod embedding;
pub mod preferences;
pub mod query;
pub mod range;
pub mod refusal;
pub mod sql;
mod statement;
mod verb;

pub use statement::{Isolation, Layout, Param, ServerError, Sql};
pub use verb::Verb;
