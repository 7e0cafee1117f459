//! Writes the one statement a request needs. Names go through [`quote`], values are bound.
//!
//! Every statement answers with one row of six columns: the body, the number of rows, the total if it
//! was asked for, what the database wants the answer's headers and status to be, and whether the
//! session has got temporary tables.

mod body;
pub(crate) mod call;
mod clause;
pub(crate) mod quote;
pub(crate) mod read;
pub(crate) mod write;
pub(crate) mod writer;

pub(crate) use body::Format;
pub(crate) use clause::Window;

/// What a function or trigger left for the answer, and in the session.
const LEFT_BEHIND: &str = "nullif(current_setting('response.headers', true), ''), \
     nullif(current_setting('response.status', true), ''), pg_my_temp_schema() <> 0";
