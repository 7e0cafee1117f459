//! A function on Cloudflare Workers with one kind of job. Postgres invokes it when jobs are due.

use gristmill::{Cx, Failure, Job, Jobs, dead, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use worker::{Context, Env, Request, Response, event};

/// The payload of the kind `caption`.
#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "caption", queue = "captions", max_attempts = 5)]
pub struct Caption {
    /// What is captioned.
    pub object: String,
}

async fn caption(job: Caption, cx: &Cx) -> Result<String, Failure> {
    if job.object.is_empty() {
        return Err(dead("There is nothing to caption."));
    }
    cx.log().info("captioned at the edge");
    Ok(format!("A picture of {}", job.object))
}

/// All that this function runs.
pub fn all() -> Jobs {
    jobs![caption]
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _: Context) -> worker::Result<Response> {
    gristmill::edge::serve(request, env, all()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_caption_names_the_object() {
        let object = "a cat".to_owned();
        let ran = gristmill::testing::run(all(), &Caption { object }).await;
        assert_eq!(ran.result::<String>().as_deref(), Some("A picture of a cat"));
    }
}
