//! All routes of a function: which one a request means, and the document that describes them.

use std::cmp::Reverse;

use worker::{Env, Request, Response};

use super::route::{Params, Route};
use super::{Call, Config, Reply, openapi, serve};
use crate::{Code, Problem};

/// All endpoints of one function.
pub struct Routes {
    pub(super) function: &'static str,
    older_name: Option<&'static str>,
    pub(super) description: &'static str,
    pub(super) routes: Vec<Route>,
}

impl Routes {
    /// A function by its name, and what it is for.
    pub fn new(function: &'static str, description: &'static str) -> Self {
        Self {
            function,
            older_name: None,
            description,
            routes: Vec::new(),
        }
    }

    /// A name that callers of an older system know: deployed under it, the function answers there too.
    pub fn also_known_as(mut self, name: &'static str) -> Self {
        self.older_name = Some(name);
        self
    }

    /// Adds an endpoint.
    pub fn route(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// Serves one request.
    pub async fn serve(self, request: Request, env: Env) -> worker::Result<Response> {
        let names: Vec<_> = [self.function].into_iter().chain(self.older_name).collect();
        serve(&names, request, env, async |call, config| {
            self.dispatch(call, config).await
        })
        .await
    }

    async fn dispatch(&self, call: &mut Call, config: &Config) -> Result<Reply, Problem> {
        if !call.is_ours() {
            let detail = "There is no function of this name.";
            return Err(Problem::new(Code::NotFound, detail));
        }
        if call.path() == ["openapi.json"] && matches!(call.verb(), "GET" | "HEAD") {
            return Reply::json(200, &openapi::document(self));
        }
        let (route, params) = self.find(call.verb(), call.segments())?;
        call.set_params(params);
        if route.is_repeatable {
            call.token()?; // before the body is read: without one nothing is looked at
            if let Some(once) = call.once(self.function).await? {
                config.create_once(once);
            }
        }
        let reply = route.handler.handle(call, config).await?;
        Ok(reply.replayed(config.is_replay()))
    }

    // Of two paths that match, the one with fewer parameters is meant, then the one that says more; the other is not, whatever
    // the method: GET of a path that only takes POST is 405, not an id that does not exist.
    fn find(&self, verb: &str, segments: &[String]) -> Result<(&Route, Params), Problem> {
        let mut found: Vec<_> = self
            .routes
            .iter()
            .filter_map(|route| route.matches(segments).map(|params| (route, params)))
            .collect();
        found.sort_by_key(|(route, params)| (params.len(), Reverse(route.path.len())));
        if let Some(&(meant, _)) = found.first() {
            found.retain(|(route, _)| route.path == meant.path);
        }
        if let Some((route, params)) = found.iter().find(|(route, _)| route.takes(verb)) {
            let params = params
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()));
            return Ok((route, params.collect()));
        }
        if found.is_empty() {
            return Err(Problem::new(
                Code::NotFound,
                "There is nothing at this path.",
            ));
        }
        let allowed: Vec<_> = found
            .iter()
            .map(|(route, _)| route.method.as_ref())
            .collect();
        let allowed = allowed.join(", ");
        Err(Problem::new(Code::MethodNotAllowed, format!("Use {allowed}.")).allowing(allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::super::route::{delete, get, post};
    use super::*;

    async fn nothing(_: &mut Call, _: &Config) -> Result<Reply, Problem> {
        Reply::json(200, &())
    }

    fn find(verb: &str, path: &str) -> Result<(&'static str, Vec<String>), Problem> {
        let routes = Routes::new("test", "")
            .route(get("/{id}", nothing))
            .route(post("/", nothing))
            .route(get("/special", nothing))
            .route(post("/start", nothing))
            .route(get("/{id}.zip", nothing))
            .route(delete("/{id}/parts/{part}", nothing));
        let segments: Vec<_> = path
            .split('/')
            .filter(|s| !s.is_empty())
            .map(str::to_owned)
            .collect();
        let (route, params) = routes.find(verb, &segments)?;
        Ok((
            route.path,
            params.into_iter().map(|(_, value)| value).collect(),
        ))
    }

    #[test]
    fn a_path_without_parameters_goes_before_one_with_them() {
        assert_eq!(find("GET", "/special").unwrap().0, "/special");
        assert_eq!(
            find("GET", "/x.zip").unwrap(),
            ("/{id}.zip", vec!["x".into()])
        );
        assert_eq!(find("GET", "/x").unwrap(), ("/{id}", vec!["x".into()]));
        assert_eq!(
            find("DELETE", "/a/parts/b").unwrap().1,
            ["a".to_owned(), "b".to_owned()]
        );
    }

    #[test]
    fn a_wrong_method_is_told_from_a_wrong_path_and_says_what_is_allowed() {
        let refused = find("PUT", "/").unwrap_err();
        assert_eq!(
            (refused.code, refused.allow.as_deref()),
            (Code::MethodNotAllowed, Some("POST"))
        );
        assert_eq!(find("GET", "/a/b").unwrap_err().code, Code::NotFound);
        let shadowed = find("GET", "/start").unwrap_err();
        assert_eq!(
            (shadowed.code, shadowed.allow.as_deref()),
            (Code::MethodNotAllowed, Some("POST"))
        );
        assert!(find("HEAD", "/x").is_ok());
        assert_eq!(
            find("QUERY", "/x").unwrap_err().code,
            Code::MethodNotAllowed
        );
    }
}
