//! `GET /health` of every function: it answers, and has what it was to be deployed with.
//!
//! It asks neither Postgres nor storage. Whether the whole system is well is said by the function `health`.

use schemars::JsonSchema;
use serde::Serialize;

use super::route::{Caller, Route, get};
use super::{Call, Config, Reply};
use gristmill_core::Code;

pub(super) const PATH: &str = "/health";

/// What a function says of itself.
#[derive(Debug, Serialize, JsonSchema)]
struct Alive {
    /// Always ok: a function that lacks a binding answers a problem.
    status: &'static str,
    /// The name by which it was called.
    function: &'static str,
    version: &'static str,
}

/// The route, for a function with these others: who calls them says which bindings it cannot do without.
pub(super) fn route(others: &[Route]) -> Route {
    let mut needed = vec!["SUPABASE_URL"];
    for other in others {
        needed.extend_from_slice(match other.caller {
            Caller::User => &["SUPABASE_ANON_KEY"],
            Caller::Postgres => &["INVOKE_SECRET", "SUPABASE_SERVICE_ROLE_KEY"],
            Caller::Anyone | Caller::Holder(_) => &[],
        });
    }
    get(PATH, async move |call: &mut Call, config: &Config| {
        for name in &needed {
            config.required(name)?;
        }
        // Bound is the bucket only where a function has to do with files. Links to them have to be signed.
        if config.bucket("FILES").is_some()
            && config.optional("STORAGE").as_deref() != Some("supabase")
        {
            config.files_signer()?;
        }
        let alive = Alive {
            status: "ok",
            function: call.name(),
            version: env!("CARGO_PKG_VERSION"),
        };
        Reply::json(200, &alive)
    })
    .summary("Says that the function answers and that no binding is missing")
    .answers::<Alive>(200, "The function is ready")
    .refuses(&[Code::Misconfigured])
}
