//! A function on Cloudflare Workers or Supabase that Postgres invokes.
//!
//! ```no_run
//! use gristmill::{Cx, Failure, Job, jobs};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use worker::{Context, Env, Request, Response, event};
//!
//! #[derive(Job, Serialize, Deserialize, JsonSchema)]
//! #[job(kind = "thumbnail", queue = "pictures")]
//! struct Thumbnail {
//!     object: String,
//! }
//!
//! async fn thumbnail(job: Thumbnail, _: &Cx) -> Result<String, Failure> {
//!     Ok(format!("small/{}", job.object))
//! }
//!
//! #[event(fetch)]
//! async fn fetch(request: Request, env: Env, _: Context) -> worker::Result<Response> {
//!     gristmill::edge::serve(request, env, jobs![thumbnail]).await
//! }
//! ```
//!
//! The bindings `SUPABASE_URL`, `SUPABASE_SERVICE_ROLE_KEY` and `INVOKE_SECRET` say where Postgres is and which key signs its requests.

use chrono::Utc;
use worker::{Env, Method, Request, Response};

use crate::client::Client;
use crate::handler::Jobs;
use crate::invocation::{Invocation, MAX_BYTES, NotInvoked};
use crate::signature::Key;

/// A binding that is not there. The log of the function says which one; the caller does not learn it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Incomplete {
    #[error("the binding {0} is not set")]
    Absent(&'static str),
    #[error("INVOKE_SECRET: {0}")]
    Key(#[from] crate::signature::BadKey),
}

/// Serves one invocation: verifies it, claims a batch, runs it, settles it. Handlers find the bindings as `cx.state::<worker::Env>()`.
pub async fn serve(mut request: Request, env: Env, jobs: Jobs) -> worker::Result<Response> {
    if request.method() != Method::Post {
        return answer(405, "Postgres sends invocations by POST.");
    }
    let body = request.bytes().await?;
    if body.len() > MAX_BYTES {
        return answer(413, "An invocation is smaller than that.");
    }
    let (key, client) = match bindings(&env) {
        Ok(bindings) => bindings,
        Err(incomplete) => {
            worker::console_error!("{incomplete}");
            return answer(503, "An operator must complete the deployment.");
        }
    };
    let header = |name: &str| request.headers().get(name).ok().flatten();
    let asked = match Invocation::verify(&key, header, &body, Utc::now().timestamp()) {
        Ok(asked) => asked,
        Err(NotInvoked::Refused(_)) => return answer(403, "Only a signed invocation is accepted."),
        Err(NotInvoked::Body(error)) => {
            worker::console_error!("{error}");
            return answer(400, "The body is not that of an invocation.");
        }
    };
    match asked.serve(&client, &jobs.state(env)).await {
        Ok(report) => Response::from_json(&report),
        Err(error) => {
            worker::console_error!("invocation {}: {error}", asked.invocation);
            answer(503, "Postgres could not be asked.")
        }
    }
}

fn bindings(env: &Env) -> Result<(Key, Client), Incomplete> {
    let read = |name| {
        let value = env.var(name).map(|value| value.to_string());
        let value = value.ok().filter(|value| !value.trim().is_empty());
        value.ok_or(Incomplete::Absent(name))
    };
    let keys = read("SUPABASE_SERVICE_ROLE_KEY")?;
    // While the key is changed there are several: the first is the one to use.
    let service = keys.split_whitespace().next().unwrap_or_default();
    let client = Client::new(&read("SUPABASE_URL")?, service);
    Ok((Key::parse(&read("INVOKE_SECRET")?)?, client))
}

fn answer(status: u16, detail: &str) -> worker::Result<Response> {
    let body = serde_json::json!({ "error": detail });
    Ok(Response::from_json(&body)?.with_status(status))
}
