//! The derive macros of the crate `gristmill`. Use them by way of that crate, which documents them with examples.

mod fields;
mod job;
mod period;
mod set;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a type the payload of a kind of job: `#[job(kind = "thumbnail", queue = "pictures", max_attempts = 8, unique(by = ["object"], within = "1h"))]`.
///
/// `kind` is needed. `description` and `open_to_users` may be given too. `by` names fields of the type: a name that is no field does not compile.
#[proc_macro_derive(Job, attributes(job))]
pub fn derive_job(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    job::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes an enum the set of all jobs that one program serves. Each variant has the name of its choice and one field: a type that is a job.
///
/// `jobs![for Set: handler, …]` compiles only when each job of the set has a handler.
#[proc_macro_derive(JobSet)]
pub fn derive_job_set(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    set::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
