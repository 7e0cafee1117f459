//! What `gristmill gateway` can be told.

use std::net::SocketAddr;

mod limits;

pub(super) use limits::Limits;

/// Arguments of `gristmill gateway`.
#[derive(clap::Args)]
pub struct Args {
    /// Where Postgres is, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, env = "GRISTMILL_DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// The same database without a pooler in between, where --database-url is that of a pooler in transaction mode (pgbouncer, Supavisor): for LISTEN
    #[arg(long, env = "GRISTMILL_DIRECT_DATABASE_URL", hide_env_values = true)]
    pub direct_database_url: Option<String>,
    /// Address to serve on; port 0 takes a free one
    #[arg(
        long,
        env = "GRISTMILL_GATEWAY_LISTEN",
        default_value = "127.0.0.1:3000"
    )]
    pub listen: SocketAddr,
    /// Address for /live, /ready and /metrics
    #[arg(long, env = "GRISTMILL_GATEWAY_ADMIN_LISTEN")]
    pub admin_listen: Option<SocketAddr>,
    /// Schemas to expose; the first is the default profile
    #[arg(
        long,
        env = "GRISTMILL_SCHEMAS",
        value_delimiter = ',',
        default_value = "public"
    )]
    pub schemas: Vec<String>,
    /// Schemas searched after the exposed one
    #[arg(
        long,
        env = "GRISTMILL_EXTRA_SEARCH_PATH",
        value_delimiter = ',',
        default_value = "public"
    )]
    pub extra_search_path: Vec<String>,
    /// Role of requests without a token; without it they are refused
    #[arg(long, env = "GRISTMILL_ANON_ROLE")]
    pub anon_role: Option<String>,
    /// Secret of HS256 tokens, at least 32 characters; several separated by blanks while the secret is changed
    #[arg(long, env = "GRISTMILL_JWT_SECRET", hide_env_values = true)]
    pub jwt_secret: Option<String>,
    /// Keys of RS256 and ES256 tokens: a JWKS file, or the JSON itself
    #[arg(long, env = "GRISTMILL_JWKS", hide_env_values = true)]
    pub jwks: Option<String>,
    /// Audience every token must name
    #[arg(long, env = "GRISTMILL_JWT_AUD")]
    pub jwt_aud: Option<String>,
    /// Connections to Postgres
    #[arg(long, env = "GRISTMILL_POOL", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub pool: u32,
    /// Requests that may wait for a connection; further ones get 503 with Retry-After
    #[arg(long, env = "GRISTMILL_QUEUE", default_value_t = 500)]
    pub queue: usize,
    /// Limits of what callers may ask for and for how long
    #[command(flatten)]
    pub limits: Limits,
    /// Largest request body, in bytes
    #[arg(
        long,
        env = "GRISTMILL_MAX_BODY",
        value_name = "BYTES",
        default_value_t = 20 * 1024 * 1024
    )]
    pub max_body: usize,
    /// How long requests under way may take to finish once asked to stop
    #[arg(
        long,
        env = "GRISTMILL_DRAIN_SECONDS",
        value_name = "SECONDS",
        default_value_t = 15
    )]
    pub drain_seconds: u64,
    /// Forward /functions/v1/... to this http:// address, path unchanged
    #[arg(long, env = "GRISTMILL_FUNCTIONS_URL")]
    pub functions_url: Option<String>,
    /// Forward /storage/v1/... to this http:// address, path unchanged
    #[arg(long, env = "GRISTMILL_STORAGE_URL")]
    pub storage_url: Option<String>,
    /// Origins whose pages may read answers, separated by commas: https://app.example.com, https://*.example.com, http://localhost:* or *.
    /// Without it: pages of this machine, where the gateway listens on a loopback address, and no others
    #[arg(long, env = "CORS_ORIGINS")]
    pub cors_origins: Option<String>,
    /// Serve /realtime/v1/websocket: changes of published tables, in a stack without Supabase Realtime. Needs the schema that `gristmill
    /// relay --realtime` installs
    #[arg(long, env = "GRISTMILL_REALTIME")]
    pub realtime: bool,
    /// The page for operators
    #[command(flatten)]
    pub console: gristmill_console::HostedArgs,
    /// Accept a weak or well-known secret
    #[arg(long, env = "GRISTMILL_DEVELOPMENT")]
    pub development: bool,
}
