//! Writes the one statement a request needs. Names go through [`quote`], values are bound.
//!
//! A statement answers in one of two ways. One value is one row of six columns: the body, the number of
//! rows, the total if it was asked for, what the database wants the answer's headers and status to be, and
//! whether the session has got temporary tables. Rows are answered one by one ([`body`]), and a second
//! statement behind them, the epilogue, says the rest.

mod body;
pub mod call;
mod clause;
pub mod quote;
pub mod read;
pub mod write;
pub mod writer;

pub use body::{Format, Shape, Writing};
pub use clause::Window;

/// What a function or trigger left for the answer, and in the session.
macro_rules! left_behind {
    () => {
        "nullif(current_setting('response.headers', true), ''), \
         nullif(current_setting('response.status', true), ''), pg_my_temp_schema() <> 0"
    };
}

/// How many rows a merge updated rather than inserted, as they were counted while they passed by.
macro_rules! updated {
    () => {
        "coalesce(nullif(current_setting('pgrst.updated', true), ''), '0')::bigint"
    };
}

const LEFT_BEHIND: &str = left_behind!();
const UPDATED: &str = updated!();

/// The epilogue of rows that were read.
pub const AFTER_READ: &str = concat!("select null::bigint, ", left_behind!());
/// The epilogue of rows that were written: how many of them a merge updated.
pub const AFTER_WRITE: &str = concat!("select ", updated!(), ", ", left_behind!());
