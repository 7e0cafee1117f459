//! Deadlines that work in both worlds. They are the library's.

pub use gristmill::time::{TimedOut, sleep, within};
