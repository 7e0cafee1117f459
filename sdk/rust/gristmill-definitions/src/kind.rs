//! A kind of job as a type.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The payload of one kind of job. Derive it:
///
/// ```
/// # extern crate gristmill_definitions as gristmill;
/// use gristmill::Job;
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// #[job(kind = "thumbnail", queue = "pictures", max_attempts = 8, unique(by = ["object"], within = "1h"))]
/// struct Thumbnail {
///     object: String,
///     width: u16,
/// }
///
/// assert_eq!(Thumbnail::KIND, "thumbnail");
/// ```
///
/// Postgres checks each payload against the type's JSON Schema when it is enqueued, once the kind was registered
/// ([`Definition`](crate::Definition)).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a job",
    label = "not the payload of a kind of job",
    note = "derive it: #[derive(Job, Serialize, Deserialize, JsonSchema)] #[job(kind = \"…\")]"
)]
pub trait Job: Serialize + DeserializeOwned + JsonSchema {
    /// The kind's name in Postgres.
    const KIND: &'static str;
    /// What the kind is registered with.
    const OPTIONS: KindOptions;
    /// The fields of the type and their names in JSON, empty where serde flattens a field. One that is not here has the same name in both.
    const FIELDS: &'static [(&'static str, &'static str)] = &[];
}

/// What a kind is registered with. `None` leaves a value as it is in Postgres.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindOptions {
    /// Where its jobs wait; `default` without it.
    pub queue: Option<&'static str>,
    /// For people.
    pub description: Option<&'static str>,
    /// Attempts of one job at the most.
    pub max_attempts: Option<u32>,
    /// Whether signed-in users may submit jobs of this kind.
    pub open_to_users: Option<bool>,
    /// Which jobs count as the same.
    pub unique: Option<Unique>,
}

/// Jobs of one kind with equal values in these fields count as the same for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unique {
    /// Fields of the payload, with dots for inner ones. None: the whole payload.
    pub by: &'static [&'static str],
    /// For so long, from the time at which the first job was enqueued.
    pub within_seconds: u64,
}
