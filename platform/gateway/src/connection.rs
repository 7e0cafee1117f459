//! How the gateway logs in to Postgres.

use crate::Args;

use gristmill_native::database::{self, Config};

/// How connections are opened.
pub(crate) struct Connections {
    /// Those of requests.
    pub(crate) requests: Config,
    /// Those that listen: to Postgres itself.
    pub(crate) direct: Config,
    /// Whether requests go through a pooler, which shares sessions out by transaction.
    pub(crate) shared: bool,
}

impl Connections {
    pub(crate) fn from_args(args: &Args, search_path: &str) -> Result<Self, database::Error> {
        let own = |url| session(url, args.limits.statement_timeout, search_path);
        match &args.direct_database_url {
            Some(direct) => Ok(Self {
                requests: named(&args.database_url)?,
                direct: own(direct)?,
                shared: true,
            }),
            None => {
                let config = own(&args.database_url)?;
                Ok(Self {
                    requests: config.clone(),
                    direct: config,
                    shared: false,
                })
            }
        }
    }
}

/// Without options: a pooler refuses them, or loses them.
fn named(url: &str) -> Result<Config, database::Error> {
    let mut config = database::config(url, "gristmill gateway")?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(std::time::Duration::from_secs(5));
    }
    Ok(config)
}

/// With the settings that `reset all` falls back to. The search path of the default profile is among them: set here, it need not be
/// set by every request.
fn session(
    url: &str,
    statement_timeout: u32,
    search_path: &str,
) -> Result<Config, database::Error> {
    let mut config = named(url)?;
    // A transaction of ours is never idle for longer than a row check takes, so anything that is
    // has lost its gateway.
    // The server gives up a gateway that has vanished just as the gateway gives up a server: it would hold
    // its connection for two hours by default.
    let mut options = format!(
        "-c statement_timeout={} -c idle_in_transaction_session_timeout=30000 \
         -c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 \
         -c search_path={}",
        statement_timeout,
        escape_option(search_path),
    );
    if let Some(given) = config.get_options() {
        options = format!("{options} {given}");
    }
    config.options(&options);
    Ok(config)
}

/// Startup options are split at blanks, and a backslash takes the next character as it is.
fn escape_option(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        if c.is_whitespace() || c == '\\' {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape_option;

    #[test]
    fn an_option_cannot_become_two() {
        assert_eq!(escape_option("\"a\", \"b c\""), "\"a\",\\ \"b\\ c\"");
        assert_eq!(escape_option("a\\"), "a\\\\");
    }
}
