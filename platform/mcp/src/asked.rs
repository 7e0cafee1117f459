//! What the tools are asked with. The comments are the descriptions that an assistant reads.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

/// One job.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Job {
    /// The id of the job, a UUID
    pub(crate) id: Uuid,
}

/// A search, and where to go on.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Search {
    /// Terms that must all hold, such as `kind:send_email state:failed since:2h error:timeout`. Keys: kind queue name group worker state id owner
    /// parent error since until priority attempt payload.FIELD=VALUE. Empty: everything, newest first
    #[serde(default)]
    pub(crate) search: String,
    /// The cursor of the answer before, to go on from there
    pub(crate) cursor: Option<String>,
    /// How many at most; 50 without it
    pub(crate) limit: Option<i32>,
}

/// Which dead letters.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Matching {
    /// Terms that must all hold, as for find_jobs. Only dead letters are matched
    #[serde(default)]
    pub(crate) search: String,
    /// A group of dead_letters, instead of all that match the search
    pub(crate) group: Option<String>,
}

/// Which dead letters to retry, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Retry {
    /// The same search as in preview_retry
    #[serde(default)]
    pub(crate) search: String,
    /// The same group as in preview_retry
    pub(crate) group: Option<String>,
    /// The count that preview_retry answered. The retry is refused when it is another one by now
    pub(crate) expected_count: i64,
    /// Why, for the audit log: 1 to 500 characters
    pub(crate) reason: String,
}
