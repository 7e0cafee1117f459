//! The console: a page that shows queues, jobs and applications, and the ways to serve it.
//!
//! The page itself is in `console/`. [`page`] serves its files under `/console` with the headers that keep it safe. [`session`] exchanges the key
//! of a printed link for a session. [`server`] is `gristmill console`: a server on this machine that forwards what the page asks to a deployment, so
//! that the deployment's keys never reach a browser. [`hosted`] is what `gristmill gateway` serves.

mod credentials;
mod files;
mod forward;
mod hosted;
mod operator;
mod origin;
mod page;
mod server;
mod session;
mod written;

pub use hosted::{Error as HostedError, Hosted, HostedArgs};
pub use server::{Args, Error, run};
