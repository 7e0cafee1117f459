//! All routes of a function: which one a request means, and the document that describes them.
//!
//! A function may be known by further names, those of older systems. It is one build and one worker; each name is an environment in
//! wrangler.toml. Under every name all routes are served, and beside them those that are [only](Route::only_as) of that name.

use std::cmp::Reverse;

use worker::{Context, Env, Request, Response};

use super::route::{Params, Route};
use super::{Call, Config, Reply, alive, openapi, serve};
use gristmill_core::{Code, Problem};

/// All endpoints of one function.
pub struct Routes {
    names: Vec<&'static str>,
    keys_kept_as: &'static str,
    after: Option<Context>,
    pub(super) description: &'static str,
    pub(super) routes: Vec<Route>,
}

impl Routes {
    /// A function by its name, and what it is for.
    pub fn new(function: &'static str, description: &'static str) -> Self {
        Self {
            names: vec![function],
            keys_kept_as: function,
            after: None,
            description,
            routes: Vec::new(),
        }
    }

    /// A name that callers of an older system know: deployed under it, the function answers there too. A shard of it, such as
    /// `queue-processor-core` of `queue-processor`, needs no name of its own here.
    pub fn also_known_as(mut self, name: &'static str) -> Self {
        self.names.push(name);
        self
    }

    /// The name that callers' idempotency keys are kept under, where it is not the function's own: one that it had in an earlier release. A retry
    /// whose first try came before the upgrade is still a retry.
    pub fn keys_kept_as(mut self, name: &'static str) -> Self {
        self.keys_kept_as = name;
        self
    }

    /// After its answer the function starts the one that serves the job which the request has [enqueued](Config::enqueued). It needs the service key for that;
    /// without the key it starts nothing, and Postgres does.
    pub fn wakes(mut self, context: Context) -> Self {
        self.after = Some(context);
        self
    }

    /// Adds an endpoint.
    pub fn route(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// Serves one request.
    pub async fn serve(mut self, request: Request, env: Env) -> worker::Result<Response> {
        if !self.routes.iter().any(|route| route.path == alive::PATH) {
            self.routes.push(alive::route(&self.routes));
        }
        let names = self.names.clone();
        let after = self.after.take();
        serve(&names, request, env, after, async |call, config| {
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
            let document = openapi::document(call.name(), self.description, &self.of(call.name()));
            return Reply::json(200, &document);
        }
        let (route, params) = self.find(call.name(), call.verb(), call.segments())?;
        call.set_params(params);
        if route.is_repeatable {
            call.token()?; // before the body is read: without one nothing is looked at
            // By one name: a retry under another of its names is a retry.
            if let Some(once) = call.once(self.keys_kept_as).await? {
                config.create_once(once);
            }
        }
        let reply = route.handler.handle(call, config).await?;
        Ok(reply.replayed(config.is_replay()))
    }

    /// The routes that are served under a name. Where one is only of that name, another of its method and path is not.
    fn of(&self, name: &str) -> Vec<&Route> {
        let of_this_name = |route: &&Route| route.only_as.is_none_or(|only| only == name);
        let is_replaced = |route: &Route| {
            route.only_as.is_none()
                && self.routes.iter().any(|other| {
                    other.only_as == Some(name)
                        && (&other.method, other.path) == (&route.method, route.path)
                })
        };
        let served = self.routes.iter().filter(of_this_name);
        served.filter(|route| !is_replaced(route)).collect()
    }

    // Of two paths that match, the one with fewer parameters is meant, then the one that says more; the other is not, whatever
    // the method: GET of a path that only takes POST is 405, not an id that does not exist.
    fn find(
        &self,
        name: &str,
        verb: &str,
        segments: &[String],
    ) -> Result<(&Route, Params), Problem> {
        let mut found: Vec<_> = self
            .of(name)
            .into_iter()
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
        let (route, params) = routes.find("test", verb, &segments)?;
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

    #[test]
    fn a_route_of_one_name_is_served_there_alone_and_goes_before_another_of_its_path() {
        let routes = Routes::new("cleanup", "")
            .also_known_as("cleanup-exports")
            .route(post("/", nothing).summary("all"))
            .route(
                post("/", nothing)
                    .summary("exports")
                    .only_as("cleanup-exports"),
            )
            .route(get("/left", nothing).only_as("cleanup-exports"));
        let summary = |name, verb, segments: &[String]| {
            let found = routes.find(name, verb, segments);
            found.map(|(route, _)| route.summary).map_err(|e| e.code)
        };
        assert_eq!(summary("cleanup", "POST", &[]), Ok("all"));
        assert_eq!(summary("cleanup-exports", "POST", &[]), Ok("exports"));
        let left = ["left".to_owned()];
        assert_eq!(summary("cleanup", "GET", &left), Err(Code::NotFound));
        assert_eq!(summary("cleanup-exports", "GET", &left), Ok(""));
        assert_eq!(routes.of("cleanup-exports").len(), 2);
    }
}
