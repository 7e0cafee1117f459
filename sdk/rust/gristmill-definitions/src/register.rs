//! Queues, kinds and schedules as `register_jobs` takes them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::kind::{Job, KindOptions, Unique};
use crate::schedule::Schedule;

/// Where jobs of a kind wait that names no queue.
const DEFAULT_QUEUE: &str = "default";

/// Queues and kinds to be registered: `Jobs::definition` makes one from the handlers of a program.
///
/// ```
/// # extern crate gristmill_definitions as gristmill;
/// # use gristmill::{Definition, Job, Queue};
/// # use schemars::JsonSchema;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Job, Serialize, Deserialize, JsonSchema)]
/// # #[job(kind = "thumbnail", queue = "pictures")]
/// # struct Thumbnail { object: String }
/// let definition = Definition::new()
///     .kind::<Thumbnail>()
///     .queue(Queue::new("pictures").at("https://pictures.example.com/jobs").option("max_parallel", 8));
/// assert_eq!(definition.queue_names(), ["pictures"]);
/// ```
///
/// `client.register(&definition)` writes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Definition {
    /// Queues. One that a kind names and that is not here is made for workers that claim by themselves.
    pub queues: Vec<Queue>,
    /// Kinds.
    pub kinds: Vec<Kind>,
    /// Schedules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
}

impl Definition {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind, with the JSON Schema of its payload.
    pub fn kind<J: Job>(mut self) -> Self {
        self.kinds.push(Kind::of::<J>());
        self
    }

    /// Adds a queue.
    pub fn queue(mut self, queue: Queue) -> Self {
        self.queues.push(queue);
        self
    }

    /// Adds a schedule.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedules.push(schedule);
        self
    }

    /// The queues of the kinds, each once.
    pub fn queue_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.kinds.iter().map(|kind| kind.queue.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// A kind of job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    /// Its name.
    pub kind: String,
    /// Where its jobs wait.
    pub queue: String,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<&'static str>,
    /// Attempts of one job at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Whether signed-in users may submit jobs of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_to_users: Option<bool>,
    /// What payloads must look like.
    pub schema: Value,
    /// Which jobs count as the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<Unique>,
}

impl Kind {
    /// As the type says.
    pub fn of<J: Job>() -> Self {
        let KindOptions {
            queue,
            description,
            max_attempts,
            open_to_users,
            unique,
        } = J::OPTIONS;
        Self {
            kind: J::KIND.to_owned(),
            queue: queue.unwrap_or(DEFAULT_QUEUE).to_owned(),
            description,
            max_attempts,
            open_to_users,
            schema: schemars::SchemaGenerator::default()
                .into_root_schema_for::<J>()
                .to_value(),
            unique,
        }
    }
}

/// A queue, and who serves it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Queue {
    /// Its name.
    pub queue: String,
    /// Options of `mill.queue`, such as `served_by`, `url` or `max_parallel`. One that is left out keeps its value.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl Queue {
    /// A queue whose options keep their values.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            queue: name.into(),
            options: Map::new(),
        }
    }

    /// Postgres invokes the function at this URL when jobs are due.
    pub fn at(self, url: impl Into<String>) -> Self {
        self.option("served_by", "function")
            .option("url", url.into())
    }

    /// An option of `mill.queue`.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }
}

/// What registering answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Registered {
    /// What became of each queue: `created`, `updated` or `unchanged`.
    #[serde(default)]
    pub queues: Vec<Map<String, Value>>,
    /// What became of each kind.
    #[serde(default)]
    pub kinds: Vec<Map<String, Value>>,
    /// What became of each schedule.
    #[serde(default)]
    pub schedules: Vec<Map<String, Value>>,
    /// What an operator has changed and was kept, with what was asked for.
    #[serde(default)]
    pub kept: Vec<Map<String, Value>>,
    /// Queues whose function has never answered, each with a `sentence` that says what to do.
    #[serde(default)]
    pub unanswered: Vec<Map<String, Value>>,
}

impl Registered {
    /// What may be wrong, in sentences: functions that have never answered. A function that is deployed after this call is among them.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.unanswered
            .iter()
            .filter_map(|queue| queue.get("sentence").and_then(Value::as_str))
    }
}
