//! What keeps one caller from hurting all others: turns per caller, and memory that is shared out.

mod budget;
mod callers;

pub use budget::{Budget, Full, Share};
pub use callers::{Busy, Callers, Visit};
