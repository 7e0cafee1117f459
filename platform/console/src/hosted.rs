//! The console as the gateway serves it, at `/console` of its own address.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, Method, Response};

use crate::files::Files;
use crate::operator::{Operator, Role};
use crate::page::{Config, Page};
use crate::session::{self, Key, LASTS};

/// A shorter key could be guessed.
const SHORTEST_KEY: usize = 32;

/// The gateway's arguments for the console.
#[derive(Debug, clap::Args)]
pub struct HostedArgs {
    /// Serve the console at /console
    #[arg(long = "console", env = "GRISTMILL_CONSOLE")]
    pub enabled: bool,
    /// Sign in whoever knows this key as admin, through the link /console/#key=…: for a machine of your own. At least 32 characters
    #[arg(
        long = "console-key",
        env = "GRISTMILL_CONSOLE_KEY",
        hide_env_values = true
    )]
    pub key: Option<String>,
    /// Serve the page's files from this folder, while the page is being changed
    #[arg(long = "console-files", env = "GRISTMILL_CONSOLE_FILES")]
    pub files: Option<PathBuf>,
}

/// Why the console cannot be served as asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Too easy to guess.
    #[error(
        "the console's key is shorter than {SHORTEST_KEY} characters; make one with: openssl rand -hex 32"
    )]
    ShortKey,
    /// A key for everybody.
    #[error(
        "a console key signs in as admin, so it is for an address of this machine alone: listen on 127.0.0.1, or leave out --console-key and sign in with a token (docs/console.md)"
    )]
    NotLoopback,
    /// Nothing to sign with.
    #[error(
        "a console key needs --jwt-secret: the tokens that it is exchanged for are signed with it"
    )]
    NoSecret,
}

/// The console of one gateway.
pub struct Hosted {
    page: Page,
    link: Option<Link>,
}

/// How a key becomes a token.
struct Link {
    key: Key,
    secret: String,
    audience: String,
    operator: Operator,
}

impl Hosted {
    /// None where nobody asked for it.
    pub fn new(
        args: HostedArgs,
        listens_on_loopback: bool,
        secret: Option<&str>,
        audience: Option<&str>,
    ) -> Result<Option<Self>, Error> {
        if !args.enabled {
            return Ok(None);
        }
        let key = args.key.filter(|key| !key.is_empty());
        let link = match key {
            None => None,
            Some(key) if key.len() < SHORTEST_KEY => return Err(Error::ShortKey),
            Some(_) if !listens_on_loopback => return Err(Error::NotLoopback),
            Some(key) => Some(Link {
                key: Key::new(&key),
                secret: secret.ok_or(Error::NoSecret)?.to_owned(),
                audience: audience.unwrap_or("authenticated").to_owned(),
                operator: Operator::of_this_machine(Role::Admin),
            }),
        };
        let sign_in = match link {
            Some(_) => vec!["link", "token"],
            None => vec!["token"],
        };
        Ok(Some(Self {
            page: Page::new(Files::new(args.files), &Config::here(sign_in, None)),
            link,
        }))
    }

    /// Largest body that a request under /console may have.
    pub const LARGEST_BODY: usize = session::LARGEST_BODY;

    /// Answers a request for what follows `/console`.
    pub fn answer(
        &self,
        method: &Method,
        rest: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Response<Bytes> {
        match &self.link {
            Some(link) if rest == "/session" => {
                if let Some(refused) = link.key.refusal(method, headers, body) {
                    return refused;
                }
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                let now = now.map_or(0, |since| since.as_secs());
                let claims = link.operator.claims(&link.audience, now, LASTS.as_secs());
                let token = gristmill_token::sign(&link.secret, &claims);
                session::given(&token, link.operator.role.name(), &link.operator.actor)
            }
            _ => self.page.answer(method, rest, headers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(key: Option<&str>) -> HostedArgs {
        HostedArgs {
            enabled: true,
            key: key.map(str::to_owned),
            files: None,
        }
    }

    #[test]
    fn a_key_is_refused_where_it_would_be_dangerous() {
        let secret = Some("secret");
        let long = "k".repeat(SHORTEST_KEY);
        let refused = |args, loopback, secret| Hosted::new(args, loopback, secret, None).err();
        assert!(matches!(
            refused(args(Some("short")), true, secret),
            Some(Error::ShortKey)
        ));
        assert!(matches!(
            refused(args(Some(&long)), false, secret),
            Some(Error::NotLoopback)
        ));
        assert!(matches!(
            refused(args(Some(&long)), true, None),
            Some(Error::NoSecret)
        ));
        assert!(refused(args(None), false, None).is_none());
    }

    #[test]
    fn without_a_key_there_is_no_session_to_be_had() {
        let hosted = Hosted::new(args(None), true, Some("secret"), None);
        let hosted = hosted.unwrap().unwrap();
        let answer = hosted.answer(&Method::POST, "/session", &HeaderMap::new(), b"{}");
        assert_eq!(answer.status(), 405);
        let config = hosted.answer(&Method::GET, "/config.json", &HeaderMap::new(), b"");
        let config: serde_json::Value = serde_json::from_slice(config.body()).unwrap();
        assert_eq!(config["signIn"], serde_json::json!(["token"]));
    }
}
