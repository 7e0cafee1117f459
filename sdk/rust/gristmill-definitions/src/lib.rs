#![doc = include_str!("../README.md")]

// The derive macros name the crate gristmill, here too.
extern crate self as gristmill;

mod kind;
mod register;
mod schedule;
pub mod workflow;

pub use gristmill_macros::{Job, JobSet};

pub use kind::{Job, KindOptions, Unique};
pub use register::{Definition, Kind, Queue, Registered};
pub use schedule::{CatchUp, Overlap, Schedule};
