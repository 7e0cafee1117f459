//! The bounds that keep one caller from hurting all others. docs/gateway.md has them as a table.

/// The part of the arguments that says how much is too much.
#[derive(clap::Args, Clone, Debug)]
pub struct Limits {
    /// Roles that are trusted: the reserved connections are theirs, and the bounds per caller do not hold for them
    #[arg(
        long,
        env = "GRISTMILL_SERVICE_ROLES",
        value_delimiter = ',',
        default_value = "service_role"
    )]
    pub service_roles: Vec<String>,
    /// Longest a statement of a trusted role may run, in milliseconds; role and function settings override it
    #[arg(
        long,
        env = "GRISTMILL_STATEMENT_TIMEOUT",
        value_name = "MS",
        default_value_t = 30_000
    )]
    pub statement_timeout: u32,
    /// The same for every other role
    #[arg(
        long,
        env = "GRISTMILL_USER_STATEMENT_TIMEOUT",
        value_name = "MS",
        default_value_t = 8_000
    )]
    pub user_statement_timeout: u32,
    /// The same for the anonymous role
    #[arg(
        long,
        env = "GRISTMILL_ANON_STATEMENT_TIMEOUT",
        value_name = "MS",
        default_value_t = 3_000
    )]
    pub anon_statement_timeout: u32,
    /// What a request may take beyond its statement timeout before it is answered with 504, in milliseconds
    #[arg(
        long,
        env = "GRISTMILL_DEADLINE_GRACE",
        value_name = "MS",
        default_value_t = 5_000
    )]
    pub deadline_grace: u32,
    /// Connections that only trusted roles can have; three tenths of the pool unless given
    #[arg(long, env = "GRISTMILL_RESERVED")]
    pub reserved: Option<u32>,
    /// Requests of one caller that run at the same time; a quarter of the users' connections unless given
    #[arg(long, env = "GRISTMILL_PER_CALLER", value_parser = clap::value_parser!(u32).range(1..))]
    pub per_caller: Option<u32>,
    /// Requests of one caller that may wait for their turn; further ones get 429 with Retry-After
    #[arg(long, env = "GRISTMILL_PER_CALLER_QUEUE", default_value_t = 500)]
    pub per_caller_queue: u32,
    /// Proxies in front of the gateway that append to X-Forwarded-For; tells anonymous callers apart
    #[arg(long, env = "GRISTMILL_TRUSTED_PROXIES", default_value_t = 0)]
    pub trusted_proxies: usize,
    /// Most rows of one answer; 0 for no bound
    #[arg(long, env = "GRISTMILL_MAX_ROWS", default_value_t = 1_000)]
    pub max_rows: u32,
    /// Largest answer, in bytes
    #[arg(
        long,
        env = "GRISTMILL_MAX_ANSWER",
        value_name = "BYTES",
        default_value_t = 32 * 1024 * 1024
    )]
    pub max_answer: usize,
    /// Memory of all answers together, in bytes
    #[arg(
        long,
        env = "GRISTMILL_ANSWER_MEMORY",
        value_name = "BYTES",
        default_value_t = 256 * 1024 * 1024
    )]
    pub answer_memory: usize,
    /// Memory of all request bodies together, in bytes
    #[arg(
        long,
        env = "GRISTMILL_BODY_MEMORY",
        value_name = "BYTES",
        default_value_t = 256 * 1024 * 1024
    )]
    pub body_memory: usize,
    /// Longest a request's body may take to arrive, in milliseconds
    #[arg(
        long,
        env = "GRISTMILL_BODY_TIMEOUT",
        value_name = "MS",
        default_value_t = 30_000
    )]
    pub body_timeout: u32,
    /// Most items of a select list
    #[arg(long, env = "GRISTMILL_MAX_SELECT", default_value_t = 200)]
    pub max_select: usize,
    /// Most items of a select list that read the same column
    #[arg(long, env = "GRISTMILL_MAX_SELECT_REPEATS", default_value_t = 16)]
    pub max_select_repeats: usize,
    /// Most terms of a filter, and of an order
    #[arg(long, env = "GRISTMILL_MAX_TERMS", default_value_t = 100)]
    pub max_terms: usize,
    /// Most patterns and text searches among them: match, imatch, like, ilike, fts and its kin
    #[arg(long, env = "GRISTMILL_MAX_PATTERNS", default_value_t = 10)]
    pub max_patterns: usize,
    /// Longest pattern or text search, in characters
    #[arg(long, env = "GRISTMILL_MAX_PATTERN_LENGTH", default_value_t = 256)]
    pub max_pattern_length: usize,
    /// Longest that functions and storage may be silent before their request is given up, in milliseconds
    #[arg(
        long,
        env = "GRISTMILL_UPSTREAM_TIMEOUT",
        value_name = "MS",
        default_value_t = 150_000
    )]
    pub upstream_timeout: u32,
    /// Longest that a client may take no byte of its answer, or send none of its upload, in milliseconds
    #[arg(
        long,
        env = "GRISTMILL_CLIENT_TIMEOUT",
        value_name = "MS",
        default_value_t = 60_000
    )]
    pub client_timeout: u32,
}
