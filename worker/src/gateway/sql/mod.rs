//! Writes the one statement a request needs. Names go through [`quote`], values are bound.

pub(crate) mod call;
pub(crate) mod quote;
pub(crate) mod writer;

/// Reads what a function left for the answer, in the columns the transaction expects.
pub(crate) const RESPONSE_GUCS: &str = "nullif(current_setting('response.headers', true), ''), \
     nullif(current_setting('response.status', true), '')";
