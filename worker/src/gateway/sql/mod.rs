//! Writes the one statement a request needs. Names go through [`quote`], values are bound.
//!
//! Every statement answers with one row of five columns: the body, the number of rows, the total
//! if it was asked for, and what the database wants the answer's headers and status to be.

mod body;
pub(crate) mod call;
mod clause;
pub(crate) mod quote;
pub(crate) mod read;
pub(crate) mod write;
pub(crate) mod writer;

pub(crate) use body::Format;
pub(crate) use clause::Window;

/// What a function or trigger left for the answer.
const RESPONSE_GUCS: &str = "nullif(current_setting('response.headers', true), ''), \
     nullif(current_setting('response.status', true), '')";
