//! A request's head, parsed once into types.

use std::sync::Arc;

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use hyper::http::request::Parts;
use percent_encoding::percent_decode_str;

use super::media::{Accepted, ContentType};
use crate::auth::Identity;
use crate::settings::Settings;
use gristmill_dialect::Verb;
use gristmill_dialect::preferences::Preferences;
use gristmill_dialect::refusal::Refusal;
use gristmill_pool::limits::Visit;

/// What a path names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resource {
    Root,
    Relation(String),
    Function(String),
}

impl Resource {
    fn parse(path: &str) -> Result<Self, Refusal> {
        let decode = |segment: &str| {
            let text = percent_decode_str(segment).decode_utf8();
            let text = text.map_err(|_| Refusal::Path)?.into_owned();
            // Postgres has no such names, and could not be asked about them.
            if text.is_empty() || text.contains('\0') {
                return Err(Refusal::Path);
            }
            Ok(text)
        };
        if matches!(path, "" | "/") {
            return Ok(Self::Root);
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        match path.split('/').collect::<Vec<_>>()[..] {
            [relation] => decode(relation).map(Self::Relation),
            ["rpc", function] => decode(function).map(Self::Function),
            _ => Err(Refusal::Path),
        }
    }
}

/// Everything but the body.
pub(super) struct ApiRequest {
    pub(super) identity: Identity,
    /// Its place among the caller's requests, kept until the answer is sent.
    pub(super) visit: Arc<Visit>,
    pub(super) verb: Verb,
    /// As the database sees it in `request.path`.
    pub(super) path: String,
    pub(super) query: String,
    pub(super) resource: Resource,
    pub(super) schema: String,
    /// True when a schema was chosen or could have been, so that the answer names it.
    pub(super) names_profile: bool,
    pub(super) preferences: Preferences,
    pub(super) accepted: Accepted,
    pub(super) content_type: ContentType,
    pub(super) headers: HeaderMap,
}

impl ApiRequest {
    pub(super) fn parse(
        settings: &Settings,
        identity: Identity,
        visit: Visit,
        path: &str,
        head: Parts,
    ) -> Result<Self, Refusal> {
        let verb = Verb::parse(&head.method)?;
        let headers = head.headers;
        Ok(Self {
            identity,
            visit: Arc::new(visit),
            verb,
            path: path.to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            resource: Resource::parse(path)?,
            schema: schema(settings, verb, &headers)?,
            names_profile: settings.schemas.exposed().len() > 1
                || headers.contains_key(profile_header(verb)),
            preferences: Preferences::parse(&headers)?,
            accepted: Accepted::parse(headers.get_all(ACCEPT).iter()),
            content_type: ContentType::parse(headers.get(CONTENT_TYPE)),
            headers,
        })
    }
}

fn profile_header(verb: Verb) -> &'static str {
    match verb.reads() {
        true => "accept-profile",
        false => "content-profile",
    }
}

/// The profile asked for, or the first schema.
fn schema(settings: &Settings, verb: Verb, headers: &HeaderMap) -> Result<String, Refusal> {
    let exposed = settings.schemas.exposed();
    let Some(asked) = headers.get(profile_header(verb)) else {
        return Ok(settings.schemas.default().to_owned());
    };
    let asked = String::from_utf8_lossy(asked.as_bytes()).into_owned();
    if exposed.contains(&asked) {
        return Ok(asked);
    }
    Err(Refusal::Schema {
        schema: asked,
        exposed: exposed.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str) -> Option<Resource> {
        Resource::parse(path).ok()
    }

    #[test]
    fn paths_name_the_root_a_relation_or_a_function() {
        assert_eq!(parse("/"), Some(Resource::Root));
        assert_eq!(parse("/todos"), Some(Resource::Relation("todos".into())));
        assert_eq!(parse("/todos/"), Some(Resource::Relation("todos".into())));
        assert_eq!(parse("/rpc/f"), Some(Resource::Function("f".into())));
        assert_eq!(parse("/a%20b"), Some(Resource::Relation("a b".into())));
    }

    #[test]
    fn other_paths_are_refused() {
        for path in ["/a/b", "/rpc/a/b", "/rpc//", "//", "/%00", "/%ff"] {
            assert_eq!(parse(path), None, "{path}");
        }
    }
}
