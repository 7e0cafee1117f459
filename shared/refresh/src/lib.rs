//! Refresh at the edge: from a claimed batch to what may be written.
//!
//! The order of trust is that of the types. [`Asked`] exists only for a job whose data type has a fetcher and whose
//! address stays on its provider's host. [`Arrived`] comes only out of [`call`], which bounds the whole exchange to ten
//! seconds and counts what the wire carried. [`Fetched`] comes only out of [`Fetched::judge`], after status, schema,
//! sanity, symbol and source timestamp; and nothing but a `Fetched` can be settled as fetched. The files in
//! `shared/tests/compile_fail` are ways around this that do not compile.

mod address;
mod asked;
mod batch;
mod declared;
mod exchange;
mod fetched;
mod fmp;
mod pace;
mod refusal;
mod schema;

pub use address::{BadAddress, Provider, Providers};
pub use asked::{Asked, RefreshJob, TypeRow};
pub use batch::{AT_ONCE, Done, LAST_START, PATIENCE, run};
pub use exchange::{
    Arrived, LARGEST_BODY, LONGEST_CALL, Reply, Request, Transport, WireBytes, call,
};
pub use fetched::{Ending, Fetched, RefreshSettlement, SourceTime};
pub use refusal::{Refusal, Refused};

#[cfg(test)]
mod tests;
