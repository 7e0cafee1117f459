//! A route: method, path, schema and handler of an endpoint stand together, so that what is documented is what
//! is served.

use std::ops::AsyncFn;

use futures_util::future::LocalBoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use worker::Method;

use super::idempotency::{self, IdempotencyKey};
use super::{Call, Config, Reply};
use gristmill_core::{Code, Problem};

/// Who may call a route; decides which refusals it documents, not what it checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Everyone.
    Anyone,
    /// Holders of a user's or the service's JWT; Postgres judges it.
    User,
    /// Holders of a token of the function's own, named like the binding that holds it.
    Holder(&'static str),
    /// Our Postgres, by a signature.
    Postgres,
}

pub(super) type Params = Vec<(&'static str, String)>;
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

pub(super) struct Body {
    pub(super) media_type: &'static str,
    pub(super) schema: Option<SchemaOf>,
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) description: &'static str,
    pub(super) media_type: &'static str,
    pub(super) schema: Option<SchemaOf>,
}

pub(super) struct Parameter {
    pub(super) place: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) required: bool,
    pub(super) schema: SchemaOf,
}

pub(super) trait Handle {
    fn handle<'a>(
        &'a self,
        call: &'a mut Call,
        config: &'a Config,
    ) -> LocalBoxFuture<'a, Result<Reply, Problem>>;
}

impl<F: AsyncFn(&mut Call, &Config) -> Result<Reply, Problem>> Handle for F {
    fn handle<'a>(
        &'a self,
        call: &'a mut Call,
        config: &'a Config,
    ) -> LocalBoxFuture<'a, Result<Reply, Problem>> {
        Box::pin(self(call, config))
    }
}

/// One endpoint: made by [`get`], [`post`], [`put`] or [`delete`], described by the methods below.
pub struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) only_as: Option<&'static str>,
    pub(super) summary: &'static str,
    pub(super) caller: Caller,
    pub(super) parameters: Vec<Parameter>,
    pub(super) query: Option<SchemaOf>,
    pub(super) body: Option<Body>,
    pub(super) answers: Vec<Answer>,
    pub(super) refusals: Vec<Code>,
    pub(super) is_repeatable: bool,
    pub(super) takes_key: bool,
    pub(super) handler: Box<dyn Handle>,
}

macro_rules! method {
    ($(#[$doc:meta])* $name:ident, $method:ident) => {
        $(#[$doc])*
        pub fn $name(
            path: &'static str,
            handler: impl AsyncFn(&mut Call, &Config) -> Result<Reply, Problem> + 'static,
        ) -> Route {
            Route::new(Method::$method, path, Box::new(handler))
        }
    };
}

method!(
    /// Reads. It answers HEAD too.
    get,
    Get
);
method!(
    /// Makes something, or asks for it.
    post,
    Post
);
method!(
    /// Replaces.
    put,
    Put
);
method!(
    /// Removes.
    delete,
    Delete
);

impl Route {
    fn new(method: Method, path: &'static str, handler: Box<dyn Handle>) -> Self {
        Self {
            method,
            path,
            only_as: None,
            summary: "",
            caller: Caller::Anyone,
            parameters: Vec::new(),
            query: None,
            body: None,
            answers: Vec::new(),
            refusals: Vec::new(),
            is_repeatable: false,
            takes_key: false,
            handler,
        }
    }

    /// One line that says what it does.
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// It is served only where the function is called by this name, one that it is [also known as](super::Routes::also_known_as). There it
    /// goes before a route of the same method and path.
    pub fn only_as(mut self, name: &'static str) -> Self {
        self.only_as = Some(name);
        self
    }

    /// Who may call it.
    pub fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// What `{name}` in the path is. Read it with [`Call::param`].
    pub fn path_param<T: JsonSchema>(self, name: &'static str, description: &'static str) -> Self {
        self.parameter::<T>("path", name, description, true)
    }

    /// A header that the handler reads.
    pub fn header<T: JsonSchema>(
        self,
        name: &'static str,
        description: &'static str,
        required: bool,
    ) -> Self {
        self.parameter::<T>("header", name, description, required)
    }

    fn parameter<T: JsonSchema>(
        mut self,
        place: &'static str,
        name: &'static str,
        description: &'static str,
        required: bool,
    ) -> Self {
        self.parameters.push(Parameter {
            place,
            name,
            description,
            required,
            schema: SchemaGenerator::subschema_for::<T>,
        });
        self
    }

    /// The query string, as a struct of optional and required fields. Read it with [`Call::read_query`].
    pub fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// A JSON body. Read it with [`Call::json`].
    pub fn json<T: JsonSchema>(mut self) -> Self {
        self.body = Some(Body {
            media_type: "application/json",
            schema: Some(SchemaGenerator::subschema_for::<T>),
        });
        self
    }

    /// A body of another media type, without a schema.
    pub fn body(mut self, media_type: &'static str) -> Self {
        self.body = Some(Body {
            media_type,
            schema: None,
        });
        self
    }

    /// A JSON answer under a status.
    pub fn answers<T: JsonSchema>(mut self, status: u16, description: &'static str) -> Self {
        self.answers.push(Answer {
            status,
            description,
            media_type: "application/json",
            schema: Some(SchemaGenerator::subschema_for::<T>),
        });
        self
    }

    /// An answer of another media type; an empty one means no body.
    pub fn answers_with(
        mut self,
        status: u16,
        media_type: &'static str,
        description: &'static str,
    ) -> Self {
        self.answers.push(Answer {
            status,
            description,
            media_type,
            schema: None,
        });
        self
    }

    /// It creates something, and a retry under the same Idempotency-Key gets the first answer for 24 hours. The handler needs to know
    /// nothing of it: what it creates goes through `Rpc`'s methods that create, by [`Config::rpc_for`].
    pub fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        let description = "Chosen by the caller for this request, for example a UUID. For 24 hours the same request under \
            the same key gets the first answer, with Idempotent-Replayed, and creates nothing.";
        self.keyed(description)
            .refuses(&[Code::OtherBody, Code::StillRunning, Code::TooManyKeys])
    }

    /// It takes an Idempotency-Key that the handler itself reads, with [`Call::idempotency_key`].
    pub fn keyed(mut self, description: &'static str) -> Self {
        self.takes_key = true;
        self.header::<IdempotencyKey>(idempotency::HEADER, description, false)
            .refuses(&[Code::OtherBody])
    }

    /// Refusals beside those that follow from caller, body and parameters.
    pub fn refuses(mut self, codes: &[Code]) -> Self {
        self.refusals.extend_from_slice(codes);
        self
    }

    pub(super) fn matches<'a>(
        &self,
        segments: &'a [String],
    ) -> Option<Vec<(&'static str, &'a str)>> {
        let pattern: Vec<_> = self
            .path
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        if pattern.len() != segments.len() {
            return None;
        }
        let mut params = Vec::new();
        for (part, segment) in pattern.into_iter().zip(segments) {
            // What follows a parameter is part of the path: `{id}.zip`.
            match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
                Some((name, ending)) => params.push((name, segment.strip_suffix(ending)?)),
                None if part == segment => {}
                None => return None,
            }
        }
        Some(params)
    }

    pub(super) fn takes(&self, verb: &str) -> bool {
        self.method.as_ref() == verb || (verb == "HEAD" && self.method == Method::Get)
    }
}
