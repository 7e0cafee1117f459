//! `gristmill console`: the console of any deployment, served on this machine to its user.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gristmill_native::serve::{self, Answer};
use gristmill_native::shutdown;
use http::header::{AUTHORIZATION, LOCATION};
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;

use crate::credentials::Credentials;
use crate::files::Files;
use crate::forward::{Deployment, is_file, is_let_through, whole};
use crate::operator::{Operator, Role};
use crate::origin;
use crate::page::{Config, Page, empty, said};
use crate::session::{self, Key, LARGEST_BODY, Sessions};
use crate::written;

/// Arguments of `gristmill console`.
#[derive(clap::Args)]
pub struct Args {
    /// Where the deployment answers: https://PROJECT.supabase.co, or the gateway's address
    #[arg(long, env = "SUPABASE_URL")]
    pub url: String,
    /// The deployment's JWT secret, with which tokens of the operator are signed. Without it the service key is used
    #[arg(long, env = "GRISTMILL_JWT_SECRET", hide_env_values = true)]
    pub jwt_secret: Option<String>,
    /// Audience that the deployment wants its tokens to name
    #[arg(long, env = "GRISTMILL_JWT_AUD", default_value = "authenticated")]
    pub jwt_aud: String,
    /// The deployment's public key, which Supabase wants beside a token
    #[arg(long, env = "SUPABASE_ANON_KEY", hide_env_values = true)]
    pub anon_key: Option<String>,
    /// The deployment's service key. It stays in this process: the browser never gets it
    #[arg(long, env = "SUPABASE_SERVICE_ROLE_KEY", hide_env_values = true)]
    pub service_key: Option<String>,
    /// What the operator may do
    #[arg(
        long,
        env = "GRISTMILL_CONSOLE_ROLE",
        value_enum,
        default_value = "admin"
    )]
    role: Role,
    /// Address to serve on: one of this machine alone; port 0 takes a free one
    #[arg(long, env = "GRISTMILL_CONSOLE_LISTEN", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Serve nothing, and write the page into this folder, for a host of static files in front of --url (with --anon-key on Supabase)
    #[arg(long, value_name = "FOLDER")]
    pub write: Option<PathBuf>,
    /// Serve the page's files from this folder, while the page is being changed
    #[arg(long, env = "GRISTMILL_CONSOLE_FILES")]
    pub files: Option<PathBuf>,
}

/// Why there is no console.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Others could reach it.
    #[error(
        "{0} can be reached from other machines, and this console signs in whoever has its link. Take an address of this machine, such as 127.0.0.1:0; \
         for other machines serve the console at /console of the gateway (docs/console.md)"
    )]
    NotLoopback(SocketAddr),
    /// No way in.
    #[error(
        "neither the JWT secret nor the service key of {0} is known: set GRISTMILL_JWT_SECRET or SUPABASE_SERVICE_ROLE_KEY, or pass --jwt-secret or --service-key"
    )]
    NoCredentials(String),
    /// Not an address.
    #[error("{0} is not an address; expected https://HOST or http://HOST:PORT")]
    Url(String),
    /// The address is taken.
    #[error(transparent)]
    Listen(#[from] serve::ListenError),
    /// The system has no random numbers or no certificates, or the deployment does not answer.
    #[error("the console cannot be started")]
    Start(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The folder cannot be written.
    #[error("the page could not be written into {folder}")]
    Write {
        /// The folder named.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The deployment is too old.
    #[error(
        "{0} has no console: bring its database to this version with `gristmill migrate`, and let its API read the schema again"
    )]
    TooOld(String),
    /// The deployment does not believe the key.
    #[error("{url} refuses the key that was given ({status}): {said}")]
    Refused {
        /// The deployment.
        url: String,
        /// How it answered.
        status: u16,
        /// What it said.
        said: String,
    },
}

struct Server {
    page: Page,
    key: Key,
    sessions: Sessions,
    deployment: Deployment,
}

/// Serves the console until asked to stop.
pub async fn run(args: Args) -> Result<(), Error> {
    if !args.listen.ip().is_loopback() {
        return Err(Error::NotLoopback(args.listen));
    }
    let host = host(&args.url)?;
    if let Some(folder) = &args.write {
        let config = Config::of(&args.url, args.anon_key.filter(|key| !key.is_empty()));
        written::write(folder, &Files::new(args.files), &config).map_err(|source| {
            Error::Write {
                folder: folder.clone(),
                source,
            }
        })?;
        println!(
            "The console of {host} is in {}. Serve the folder as it is, with the headers of its file _headers, and allow its origin: docs/console.md",
            folder.display()
        );
        return Ok(());
    }
    let deployment = deployment(&args)?;
    look(&deployment, &args.url).await?;

    let listener = serve::bind(args.listen).await?;
    let address = listener.local_addr().unwrap_or(args.listen);
    let key = session::random().map_err(|error| Error::Start(error.into()))?;
    let Operator { actor, role } = deployment.operator();
    println!(
        "The console of {host}, for {actor} as {}:\n\n  http://{address}/console/#key={key}\n\nThe link works on this machine until this command ends. Ctrl-C ends it.",
        role.name()
    );
    let server = Arc::new(Server {
        page: Page::new(
            Files::new(args.files),
            &Config::here(vec!["link"], Some(host)),
        ),
        key: Key::new(&key),
        sessions: Sessions::default(),
        deployment,
    });
    let handle = move |request| {
        let server = server.clone();
        async move { server.answer(request).await }
    };
    let drain = Duration::from_secs(3);
    serve::serve(listener, handle, shutdown::requested(), drain).await;
    Ok(())
}

fn host(url: &str) -> Result<String, Error> {
    let address: Option<Uri> = url.parse().ok();
    let is_web = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
    let host = address
        .filter(is_web)
        .and_then(|uri| Some(uri.authority()?.as_str().to_owned()));
    host.ok_or_else(|| Error::Url(url.to_owned()))
}

fn deployment(args: &Args) -> Result<Deployment, Error> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let credentials = match (given(&args.jwt_secret), given(&args.service_key)) {
        (Some(secret), _) => Credentials::Secret {
            secret,
            audience: args.jwt_aud.clone(),
            api_key: given(&args.anon_key),
        },
        (None, Some(key)) => Credentials::ServiceKey(key),
        (None, None) => return Err(Error::NoCredentials(args.url.clone())),
    };
    let operator = Operator::of_this_machine(args.role);
    Deployment::new(&args.url, credentials, operator).map_err(|error| Error::Start(error.into()))
}

/// Says at the start what is wrong, and not in the browser.
async fn look(deployment: &Deployment, url: &str) -> Result<(), Error> {
    let answer = deployment.first_question().await;
    let (status, body) = answer.map_err(|error| Error::Start(error.into()))?;
    if status == StatusCode::NOT_FOUND {
        return Err(Error::TooOld(url.to_owned()));
    }
    if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
        let json: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
        let said = json.and_then(|json| Some(json.get("message")?.as_str()?.to_owned()));
        return Err(Error::Refused {
            url: url.to_owned(),
            status: status.as_u16(),
            said: said.unwrap_or_default(),
        });
    }
    // Anything else may be over when the page asks again, and the page shows it.
    Ok(())
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        // Under another name it was reached through DNS rebinding.
        if !origin::is_loopback_host(request.headers()) {
            let message =
                "This console answers at the address that was printed, and by no other name.";
            return refusal(StatusCode::MISDIRECTED_REQUEST, "console_host", message);
        }
        if origin::is_foreign(request.headers()) {
            let message = "Only the console's own page can ask this.";
            return refusal(StatusCode::FORBIDDEN, "console_origin", message);
        }
        let path = request.uri().path();
        if path == "/" {
            let mut answer = empty(StatusCode::PERMANENT_REDIRECT);
            let place = HeaderValue::from_static("/console/");
            answer.headers_mut().insert(LOCATION, place);
            return answer.map(whole);
        }
        if path == "/console/session" {
            return self.session(request).await.map(whole);
        }
        if let Some(rest) = path.strip_prefix("/console")
            && (rest.is_empty() || rest.starts_with('/'))
        {
            let answer = self.page.answer(request.method(), rest, request.headers());
            return answer.map(whole);
        }
        if !is_let_through(request.method(), path) {
            let message =
                "The console does not ask for this, so it is not passed on to the deployment.";
            return refusal(StatusCode::NOT_FOUND, "console_path", message);
        }
        if !self.is_signed_in(&request) {
            let message = "The session has ended. The console asks for a new one by itself; if it does not, open the printed link again.";
            return refusal(StatusCode::UNAUTHORIZED, "console_session", message);
        }
        if is_file(request.method(), path) && self.deployment.operator().role != Role::Admin {
            let message =
                "Files are for the role admin. Start the console with --role admin to read one.";
            return refusal(StatusCode::FORBIDDEN, "console_role", message);
        }
        self.deployment.forward(request).await
    }

    fn is_signed_in(&self, request: &Request<Incoming>) -> bool {
        let token = request
            .headers()
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "));
        token.is_some_and(|token| self.sessions.has(token, Instant::now()))
    }

    async fn session(&self, request: Request<Incoming>) -> Response<Bytes> {
        let (parts, body) = request.into_parts();
        // One that is too large is no key.
        let body = Limited::new(body, LARGEST_BODY).collect().await;
        let body = body.map(|body| body.to_bytes()).unwrap_or_default();
        if let Some(refused) = self.key.refusal(&parts.method, &parts.headers, &body) {
            return refused;
        }
        let Operator { actor, role } = self.deployment.operator();
        match self.sessions.begin(Instant::now()) {
            Ok(token) => session::given(&token, role.name(), actor),
            Err(error) => said(
                StatusCode::INTERNAL_SERVER_ERROR,
                "console_session",
                &error.to_string(),
            ),
        }
    }
}

fn refusal(status: StatusCode, code: &str, message: &str) -> Answer {
    said(status, code, message).map(whole)
}
