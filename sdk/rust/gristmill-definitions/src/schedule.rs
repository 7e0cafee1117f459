//! Jobs that are enqueued by themselves at due times.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::kind::Job;

/// When jobs of a kind are enqueued, and with which payload. It is registered with the kinds of a [`Definition`](crate::Definition) or of
/// `Jobs`.
///
/// ```
/// # extern crate gristmill_definitions as gristmill;
/// # use gristmill::{CatchUp, Job, Overlap, Schedule};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "report", queue = "reports")]
/// # struct Report { of: String }
/// let nightly = Schedule::cron("nightly", "30 2 * * *", &Report { of: "all".into() })
///     .time_zone("Europe/Paris")
///     .overlap(Overlap::Queue)
///     .catch_up(CatchUp::All { at_most: 7 });
/// assert_eq!(nightly.kind, "report");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Schedule {
    /// Its name.
    pub schedule: String,
    /// What its jobs are.
    pub kind: &'static str,
    /// Their payload. One that cannot be written as JSON is null here, and refused when it is registered.
    pub payload: Value,
    /// The other options of `mill.job_schedule`. One that is left out keeps its value.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

/// What a due time does that comes while the job of an earlier one has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// It makes no job.
    Skip,
    /// It makes a job, which waits in its queue.
    Queue,
}

/// What becomes of due times that passed while Postgres was down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchUp {
    /// Nothing.
    None,
    /// One job stands for all of them.
    Once,
    /// Each makes a job, if it is among the last.
    All {
        /// How many, at most 1,000.
        at_most: u16,
    },
}

impl Schedule {
    /// At the times of a cron expression with five fields: minute, hour, day of the month, month, weekday.
    pub fn cron<J: Job>(name: impl Into<String>, cron: impl Into<String>, payload: &J) -> Self {
        Self::of(name, payload).option("cron", cron.into())
    }

    /// Again and again after this time, from full hours and days on; whole seconds count.
    pub fn every<J: Job>(name: impl Into<String>, every: Duration, payload: &J) -> Self {
        Self::of(name, payload).option("every_seconds", every.as_secs())
    }

    fn of<J: Job>(name: impl Into<String>, payload: &J) -> Self {
        Self {
            schedule: name.into(),
            kind: J::KIND,
            payload: serde_json::to_value(payload).unwrap_or_default(),
            options: Map::new(),
        }
    }

    /// The time zone of the expression, such as `Europe/Paris`; UTC without it.
    pub fn time_zone(self, name: impl Into<String>) -> Self {
        self.option("time_zone", name.into())
    }

    /// What a due time does while an earlier job has not ended; `Skip` without it.
    pub fn overlap(self, overlap: Overlap) -> Self {
        let name = match overlap {
            Overlap::Skip => "skip",
            Overlap::Queue => "queue",
        };
        self.option("overlap", name)
    }

    /// What becomes of due times that were missed; `Once` without it.
    pub fn catch_up(self, catch_up: CatchUp) -> Self {
        match catch_up {
            CatchUp::None => self.option("catch_up", "none"),
            CatchUp::Once => self.option("catch_up", "once"),
            CatchUp::All { at_most } => self
                .option("catch_up", "all")
                .option("catch_up_limit", at_most),
        }
    }

    /// The field of the payload into which the due time is written.
    pub fn due_field(self, field: impl Into<String>) -> Self {
        self.option("due_field", field.into())
    }

    /// An option of `mill.job_schedule`.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }
}
