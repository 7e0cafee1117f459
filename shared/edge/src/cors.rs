//! What a page of another origin is told: the same by every function, in every answer, also in one that refuses.

use worker::{Method, ResponseBuilder};

use super::{Call, Config};
use gristmill_core::cors::{MAX_AGE, METHODS, Origins, READ, allowed_headers};

/// The origins that the deployment allows: CORS_ORIGINS, or the deployment's own.
fn origins(config: &Config) -> Origins {
    // CORS_ORIGIN is the name of release 0.1.0, and held one origin.
    let listed = config
        .optional("CORS_ORIGINS")
        .or_else(|| config.optional("CORS_ORIGIN"));
    match listed {
        Some(listed) => Origins::parse(&listed),
        None => Origins::of_deployment(&config.optional("SUPABASE_URL").unwrap_or_default()),
    }
}

/// Adds the headers to an answer.
pub(super) fn open(
    call: &Call,
    config: &Config,
    answer: ResponseBuilder,
) -> worker::Result<ResponseBuilder> {
    let answer = answer.with_header("vary", "Origin")?;
    let origin = call.header("origin");
    let Some(allowed) = origin.and_then(|origin| origins(config).allowed(&origin)) else {
        return Ok(answer);
    };
    let answer = answer
        .with_header("access-control-allow-origin", &allowed)?
        .with_header("access-control-expose-headers", READ)?;
    if call.method != Method::Options {
        return Ok(answer);
    }
    let asked = call.header("access-control-request-headers");
    answer
        .with_header("access-control-allow-methods", METHODS)?
        .with_header(
            "access-control-allow-headers",
            &allowed_headers(asked.as_deref()),
        )?
        .with_header("access-control-max-age", MAX_AGE)
}
