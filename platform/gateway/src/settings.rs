//! Arguments turned into values the rest never has to check again.

use std::time::Duration;

use gristmill_core::cors::Origins;
use hyper::Uri;
use hyper::http::uri::{Authority, Scheme};

use super::{Args, args};
use gristmill_dialect::query::Cost;
use gristmill_dialect::sql::quote::identifier;
use gristmill_token::Verifier;

/// Which argument does not hold up, and what would.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// HS256 is only as strong as its secret.
    #[error(
        "the JWT secret is too short or a well-known example; use 32 random characters or more without blanks \
         (openssl rand -base64 48), or pass --development on a machine of your own"
    )]
    WeakSecret,
    /// Neither a file nor JSON.
    #[error("the JWKS at {path} cannot be read")]
    JwksFile {
        /// The file named.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Not a JSON Web Key Set with usable keys.
    #[error(transparent)]
    Jwks(#[from] gristmill_token::KeyError),
    /// A forwarding target that is not a plain http:// address.
    #[error("{0} is not an address to forward to; expected http://HOST:PORT")]
    Target(String),
    /// The console cannot be served as asked.
    #[error(transparent)]
    Console(#[from] gristmill_console::HostedError),
    /// An empty list of schemas would expose nothing.
    #[error("--schemas names no schema")]
    NoSchema,
    /// `none` is how SQL spells "back to the login role", so it can never be the anonymous one.
    #[error("{0:?} cannot be the anonymous role")]
    AnonRole(String),
    /// Users must be left at least one connection.
    #[error(
        "{reserved} connections cannot be reserved of a pool of {pool}: none is left for users"
    )]
    Reserved {
        /// What was asked for.
        reserved: usize,
        /// All connections.
        pool: usize,
    },
}

/// The validated configuration.
pub(crate) struct Settings {
    pub(crate) schemas: Schemas,
    pub(crate) anon_role: Option<String>,
    pub(crate) verifier: Verifier,
    pub(crate) pool: usize,
    pub(crate) queue: usize,
    pub(crate) max_body: usize,
    pub(crate) drain: Duration,
    pub(crate) functions: Option<Target>,
    pub(crate) storage: Option<Target>,
    pub(crate) origins: Origins,
    pub(crate) limits: Limits,
    /// None where nobody asked for it.
    pub(crate) console: Option<gristmill_console::Hosted>,
    /// Requests go through a pooler: nothing that a connection was opened with holds.
    pub(crate) shared: bool,
}

/// How much is too much, with the parts that depend on each other worked out.
pub(crate) struct Limits {
    pub(crate) service_roles: Vec<String>,
    /// Of trusted roles; connections are opened with it, so that it need not be set by every request.
    pub(crate) statement_timeout: Duration,
    pub(crate) user_statement_timeout: Duration,
    pub(crate) anon_statement_timeout: Duration,
    pub(crate) deadline_grace: Duration,
    /// Connections that users can have.
    pub(crate) for_users: usize,
    pub(crate) per_caller: usize,
    pub(crate) per_caller_queue: usize,
    pub(crate) trusted_proxies: usize,
    pub(crate) max_rows: Option<i64>,
    pub(crate) max_answer: usize,
    pub(crate) answer_memory: usize,
    pub(crate) body_memory: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) cost: Cost,
    pub(crate) upstream_timeout: Duration,
    pub(crate) client_timeout: Duration,
}

impl Limits {
    fn from_args(given: &args::Limits, pool: usize) -> Result<Self, Error> {
        let millis = |value: u32| Duration::from_millis(value.into());
        let reserved = given.reserved.map_or(pool * 3 / 10, |count| count as usize);
        let for_users = pool.checked_sub(reserved).filter(|left| *left > 0);
        let for_users = for_users.ok_or(Error::Reserved { reserved, pool })?;
        // On two cores four slow filters of one user made another's export take 3.1 times as long; two make it 1.8 times.
        let quarter = for_users.div_ceil(4);
        Ok(Self {
            service_roles: names(&given.service_roles),
            statement_timeout: millis(given.statement_timeout),
            user_statement_timeout: millis(given.user_statement_timeout),
            anon_statement_timeout: millis(given.anon_statement_timeout),
            deadline_grace: millis(given.deadline_grace),
            for_users,
            per_caller: given.per_caller.map_or(quarter, |count| count as usize),
            per_caller_queue: given.per_caller_queue as usize,
            trusted_proxies: given.trusted_proxies,
            max_rows: Some(i64::from(given.max_rows)).filter(|rows| *rows > 0),
            max_answer: given.max_answer,
            answer_memory: given.answer_memory,
            body_memory: given.body_memory,
            body_timeout: millis(given.body_timeout),
            cost: Cost {
                select: given.max_select,
                select_repeats: given.max_select_repeats,
                terms: given.max_terms,
                patterns: given.max_patterns,
                pattern_length: given.max_pattern_length,
            },
            upstream_timeout: millis(given.upstream_timeout),
            client_timeout: millis(given.client_timeout),
        })
    }

    pub(crate) fn is_trusted(&self, role: &str) -> bool {
        self.service_roles.iter().any(|trusted| trusted == role)
    }
}

/// What is exposed, and where names are looked for.
pub(crate) struct Schemas {
    default: String,
    exposed: Vec<String>,
    extra: Vec<String>,
}

impl Schemas {
    pub(crate) fn from_args(args: &Args) -> Result<Self, Error> {
        let exposed = names(&args.schemas);
        Ok(Self {
            default: exposed.first().cloned().ok_or(Error::NoSchema)?,
            exposed,
            extra: names(&args.extra_search_path),
        })
    }

    /// The schema of requests that name none.
    pub(crate) fn default(&self) -> &str {
        &self.default
    }

    pub(crate) fn exposed(&self) -> &[String] {
        &self.exposed
    }

    /// Where a request of that schema looks for names.
    pub(crate) fn search_path(&self, schema: &str) -> String {
        let mut path = vec![schema];
        for extra in &self.extra {
            if !path.contains(&extra.as_str()) {
                path.push(extra);
            }
        }
        let quoted: Vec<String> = path.into_iter().map(identifier).collect();
        quoted.join(", ")
    }
}

/// Where a proxied path goes.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) scheme: Scheme,
    pub(crate) authority: Authority,
}

/// Secrets printed in documentation all over the web; guessing them takes no effort.
const WELL_KNOWN: [&str; 6] = [
    "super-secret-jwt-token-with-at-least-32-characters-long",
    "your-super-secret-jwt-token-with-at-least-32-characters-long",
    "reallyreallyreallyreallyverysafe",
    "a-string-secret-at-least-256-bits-long",
    "your-256-bit-secret",
    "secret-secret-secret-secret-secret",
];

impl Settings {
    pub(crate) fn from_args(args: Args, schemas: Schemas) -> Result<Self, Error> {
        if let Some(role) = args.anon_role.as_deref()
            && !gristmill_token::is_role_name(role)
        {
            return Err(Error::AnonRole(role.to_owned()));
        }
        if args.jwt_secret.as_deref().is_some_and(has_weak) {
            if !args.development {
                return Err(Error::WeakSecret);
            }
            tracing::warn!("the JWT secret is weak; accepted because of --development");
        }
        let console = gristmill_console::Hosted::new(
            args.console,
            args.listen.ip().is_loopback(),
            args.jwt_secret.as_deref(),
            args.jwt_aud.as_deref(),
        )?;
        let jwks = args.jwks.as_deref().map(read_jwks).transpose()?;
        Ok(Self {
            verifier: Verifier::new(args.jwt_secret.as_deref(), jwks.as_deref(), args.jwt_aud)?,
            anon_role: args.anon_role,
            pool: args.pool as usize,
            queue: args.queue,
            max_body: args.max_body,
            drain: Duration::from_secs(args.drain_seconds),
            functions: args.functions_url.as_deref().map(target).transpose()?,
            storage: args.storage_url.as_deref().map(target).transpose()?,
            origins: match &args.cors_origins {
                Some(listed) => Origins::parse(listed),
                None if args.listen.ip().is_loopback() => {
                    Origins::of_deployment(&format!("http://{}", args.listen))
                }
                None => Origins::default(),
            },
            limits: Limits::from_args(&args.limits, args.pool as usize)?,
            console,
            shared: args.direct_database_url.is_some(),
            schemas,
        })
    }
}

fn names(list: &[String]) -> Vec<String> {
    let trimmed = list.iter().map(|name| name.trim().to_owned());
    trimmed.filter(|name| !name.is_empty()).collect()
}

/// Whether one of the secrets is weak, or there is none.
fn has_weak(secrets: &str) -> bool {
    let mut each = secrets.split_whitespace().peekable();
    each.peek().is_none() || each.any(is_weak)
}

fn is_weak(secret: &str) -> bool {
    let first = secret.chars().next();
    let repeats_one_character = secret.chars().all(|c| Some(c) == first);
    secret.len() < 32 || repeats_one_character || WELL_KNOWN.contains(&secret)
}

fn read_jwks(given: &str) -> Result<String, Error> {
    if given.trim_start().starts_with('{') {
        return Ok(given.to_owned());
    }
    std::fs::read_to_string(given).map_err(|source| Error::JwksFile {
        path: given.to_owned(),
        source,
    })
}

fn target(url: &str) -> Result<Target, Error> {
    let wrong = || Error::Target(url.to_owned());
    let parts = url.parse::<Uri>().map_err(|_| wrong())?.into_parts();
    match (parts.scheme, parts.authority) {
        (Some(scheme), Some(authority)) if scheme == Scheme::HTTP => {
            Ok(Target { scheme, authority })
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_repeated_and_published_secrets_are_weak() {
        assert!(is_weak("short"));
        assert!(is_weak(&"a".repeat(64)));
        assert!(is_weak(WELL_KNOWN[0]));
        let good = "q3vI2n0wJp7Zr8yKd5Lx1Tb4Mf6Gc9Ha";
        assert!(!is_weak(good));
        assert!(!has_weak(&format!("{good} {good}")));
        assert!(has_weak(&format!("{good} short")));
        assert!(has_weak(" "));
    }

    #[test]
    fn only_plain_http_addresses_can_be_forwarded_to() {
        assert!(target("http://127.0.0.1:8000").is_ok());
        assert!(target("https://example.com").is_err());
        assert!(target("127.0.0.1:8000").is_err());
        assert!(target("not a url").is_err());
    }

    #[test]
    fn names_are_looked_for_in_the_profile_then_in_the_extra_path() {
        let schemas = Schemas {
            default: "api".into(),
            exposed: vec!["api".into(), "b\"c".into()],
            extra: vec!["public".into(), "api".into()],
        };
        assert_eq!(schemas.search_path("api"), "\"api\", \"public\"");
        assert_eq!(
            schemas.search_path("b\"c"),
            "\"b\"\"c\", \"public\", \"api\""
        );
    }

    #[test]
    fn blank_names_in_a_list_are_dropped() {
        assert_eq!(names(&[" api".into(), " ".into()]), ["api"]);
    }
}
