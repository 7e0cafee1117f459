//! Definitions of workflows: jobs that run side by side and after each other. For deployments with the part `workflows`.
//!
//! ```
//! # extern crate gristmill_definitions as gristmill;
//! use gristmill::workflow::{Workflow, param, reference};
//! use gristmill::{Job, task};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Job, Serialize, Deserialize, JsonSchema)]
//! #[job(kind = "split_book")]
//! struct SplitBook {
//!     book: String,
//! }
//!
//! #[derive(Job, Serialize, Deserialize, JsonSchema)]
//! #[job(kind = "summarise")]
//! struct Summarise {
//!     text: Vec<String>,
//!     title: String,
//!     words: u32,
//! }
//!
//! let mut digest = Workflow::new("digest")
//!     .description("A digest of a book")
//!     .defaults(&serde_json::json!({ "words": 200 }));
//! let split = digest.task("split", task!(SplitBook { book: param("book") }));
//! let chapter = digest.task(
//!     "chapter",
//!     task!(Summarise { text: reference("item.pages"), title: "Chapter {{index}}: {{item.title}}", words: param("words") })
//!         .needs(&split)
//!         .for_each(split.at("chapters"))
//!         .weight(8)
//!         .counts_documents(),
//! );
//! digest.task("whole", task!(Summarise { text: chapter.result(), title: "The whole", words: 500 }).needs(&chapter));
//! # assert_eq!(digest.definition()["tasks"][2]["input"]["words"], 500);
//! ```
//!
//! `client.register_workflow(&digest)` writes it.
//!
//! What does not compile: a field that the payload lacks, a field that is left out, a value of another type, and a need for a task that was not added
//! before. Postgres refuses the rest when the workflow is registered, with a sentence that says what is wrong.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::kind::Job;

/// Stands in an input for a value that is known only when the task starts. It fits a field of any type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference(String);

/// What stands at a path when the task starts: `params.book`, `item.title`, `index`, `split.chapters`, `job.user`.
pub fn reference(path: impl Into<String>) -> Reference {
    Reference(path.into())
}

/// A value with which the workflow was started.
pub fn param(name: &str) -> Reference {
    Reference(format!("params.{name}"))
}

/// An object or a list of which the parts may be references, as `{{path}}`. It fits a field of any type, and only Postgres checks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Template(Value);

/// See [`Template`].
pub fn template(value: Value) -> Template {
    Template(value)
}

/// What may stand in the place of a field of type `Field`: a value of that type, a [`Reference`] or a [`Template`]; for a `String` also a `&str`, in which
/// each `{{path}}` is replaced.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit a field of type `{Field}`",
    label = "neither a `{Field}` nor a reference to one",
    note = "a value that is known only when the task starts is `param(\"…\")`, `reference(\"…\")` or `task.result()`"
)]
pub trait Fits<Field> {
    /// As the definition has it. What cannot be written as JSON is null here, and refused when the workflow is registered.
    fn into_json(self) -> Value;
}

impl<Field: Serialize> Fits<Field> for Field {
    fn into_json(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Fits<String> for &str {
    fn into_json(self) -> Value {
        self.into()
    }
}

impl<Field> Fits<Field> for Reference {
    fn into_json(self) -> Value {
        format!("{{{{{}}}}}", self.0).into()
    }
}

impl<Field> Fits<Field> for Template {
    fn into_json(self) -> Value {
        self.0
    }
}

/// The input of a task, as [`task!`](crate::task) makes it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Input<J> {
    fields: Map<String, Value>,
    job: PhantomData<J>,
}

impl<J: Job> Input<J> {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "only the macro calls it")]
    pub fn new() -> Self {
        Self {
            fields: Map::new(),
            job: PhantomData,
        }
    }

    /// Sets a field, which `_of` has the type of.
    pub fn set<Field, Given: Fits<Field>>(
        &mut self,
        field: &'static str,
        _of: fn(&J) -> &Field,
        value: Given,
    ) {
        let field = field.trim_start_matches("r#");
        let known = J::FIELDS.iter().find(|(name, _)| *name == field);
        let name = known.map_or(field, |(_, name)| *name);
        match value.into_json() {
            // serde flattens it: its fields are those of the payload.
            Value::Object(inner) if name.is_empty() => self.fields.extend(inner),
            value => drop(self.fields.insert(name.to_owned(), value)),
        }
    }

    /// A task that begins with this.
    pub fn task(self) -> Task {
        Task {
            kind: J::KIND,
            input: self.fields,
            options: Map::new(),
            needs: Vec::new(),
            counts_documents: false,
        }
    }
}

/// Makes a [`Task`](crate::workflow::Task) from a job and its input: `task!(Summarise { text: split.at("text"), words: 200 })`.
///
/// Each field is a value of its type, or a reference to one. `..` at the end leaves out the other fields, where the payload has defaults for them.
#[macro_export]
macro_rules! task {
    ($($job:ident)::+ { $($field:ident : $value:expr),* $(,)? }) => {{
        // Never called: a struct expression names every field, so that none is forgotten.
        let _ = |($($field,)*)| $($job)::+ { $($field),* };
        $crate::task!(@set $($job)::+ { $($field : $value),* })
    }};
    ($($job:ident)::+ { $($field:ident : $value:expr,)* .. }) => {
        $crate::task!(@set $($job)::+ { $($field : $value),* })
    };
    (@set $($job:ident)::+ { $($field:ident : $value:expr),* }) => {{
        #[allow(unused_mut)]
        let mut input = $crate::workflow::Input::<$($job)::+>::new();
        $(input.set(stringify!($field), |job| &job.$field, $value);)*
        input.task()
    }};
}

/// A task of a workflow: which job, with which input, and when.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "add it with Workflow::task"]
pub struct Task {
    kind: &'static str,
    input: Map<String, Value>,
    options: Map<String, Value>,
    needs: Vec<Value>,
    counts_documents: bool,
}

impl Task {
    /// It starts after this one has ended: completed, unless this task is [`tolerant`](Self::tolerant). May be called for several.
    pub fn needs(mut self, task: &TaskKey) -> Self {
        self.needs.push(task.0.clone().into());
        self
    }

    /// One task for each item of this list: a parameter, or the result of a task that it needs. Inputs refer to `item` and `index`.
    pub fn for_each(self, list: Reference) -> Self {
        self.option("for_each", list.0)
    }

    /// One task for each task of this one that has items, without waiting for the others.
    pub fn each(self, task: &TaskKey) -> Self {
        self.option("each", task.0.clone())
    }

    /// Its share of the progress, of all its items together; 1 without it.
    pub fn weight(self, weight: u32) -> Self {
        self.option("weight", weight)
    }

    /// What the progress calls it; its key without it.
    pub fn phase(self, phase: impl Into<String>) -> Self {
        self.option("phase", phase.into())
    }

    /// When its attempts are used up, what depends on it is skipped and the workflow goes on. Without it the workflow fails.
    pub fn skip_on_failure(self) -> Self {
        self.option("on_failure", "skip")
    }

    /// When its attempts are used up, the rest is taken back and this task runs, which runs only then. Then the workflow has failed.
    pub fn compensate_with(self, task: &TaskKey) -> Self {
        self.option(
            "on_failure",
            serde_json::json!({ "compensate": task.0.clone() }),
        )
    }

    /// It runs even if what it needs failed or was skipped; references to that are null.
    pub fn tolerant(self) -> Self {
        self.option("tolerant", true)
    }

    /// Attempts at the most; those of its queue without it.
    pub fn max_attempts(self, most: u32) -> Self {
        self.option("max_attempts", most)
    }

    /// Its items are what the progress of the workflow counts as documents.
    pub fn counts_documents(mut self) -> Self {
        self.counts_documents = true;
        self
    }

    fn option(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.options.insert(name.to_owned(), value.into());
        self
    }
}

/// A task that was added to a workflow. Later tasks name it by this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskKey(String);

impl TaskKey {
    /// Its result; the list of results, where it has items.
    pub fn result(&self) -> Reference {
        Reference(self.0.clone())
    }

    /// A part of its result: `split.at("chapters")`.
    pub fn at(&self, path: &str) -> Reference {
        Reference(format!("{}.{path}", self.0))
    }
}

/// A definition of a workflow: [the module](self) has an example.
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    options: Map<String, Value>,
    tasks: Vec<Value>,
}

impl Workflow {
    /// A workflow without tasks.
    pub fn new(name: impl Into<String>) -> Self {
        let options = Map::from_iter([("type".to_owned(), Value::String(name.into()))]);
        Self {
            options,
            tasks: Vec::new(),
        }
    }

    /// For people.
    pub fn description(self, text: impl Into<String>) -> Self {
        self.option("description", text.into())
    }

    /// Parameters that lie beneath those with which a workflow is started: an object.
    pub fn defaults(self, params: &impl Serialize) -> Self {
        let params = serde_json::to_value(params).unwrap_or_default();
        self.option("defaults", params)
    }

    /// Whether signed-in users may start it; they may without this.
    pub fn open_to_users(self, is_open: bool) -> Self {
        self.option("open_to_users", is_open)
    }

    /// Adds a task under a key of small letters, digits and `_`.
    pub fn task(&mut self, key: impl Into<String>, task: Task) -> TaskKey {
        let key = key.into();
        if task.counts_documents {
            self.options.insert("documents".into(), key.clone().into());
        }
        let mut row = task.options;
        row.insert("key".into(), key.clone().into());
        row.insert("kind".into(), task.kind.into());
        row.insert("input".into(), task.input.into());
        if !task.needs.is_empty() {
            row.insert("needs".into(), task.needs.into());
        }
        self.tasks.push(row.into());
        TaskKey(key)
    }

    /// As `register_workflow` takes it.
    pub fn definition(&self) -> Value {
        let mut definition = self.options.clone();
        definition.insert("tasks".into(), self.tasks.clone().into());
        definition.into()
    }

    fn option(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.options.insert(name.to_owned(), value.into());
        self
    }
}

/// What registering a workflow answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorkflowRegistered {
    /// The type of the workflow.
    #[serde(rename = "type")]
    pub name: String,
    /// The version that starts from now on.
    pub version: u32,
    /// `created`, `updated` or `unchanged`.
    pub status: String,
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;
    use crate::Job;

    #[derive(Job, Serialize, Deserialize, JsonSchema)]
    #[job(kind = "split_book")]
    struct SplitBook {
        book: String,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Paper {
        size: String,
    }

    #[derive(Job, Serialize, Deserialize, JsonSchema)]
    #[job(kind = "summarise")]
    #[serde(rename_all = "camelCase")]
    struct Summarise {
        keep_case: String,
        #[serde(rename = "count")]
        words: Option<u32>,
        #[serde(default)]
        r#type: u8,
        #[serde(flatten)]
        paper: Paper,
    }

    #[test]
    fn a_workflow_is_written_as_register_workflow_takes_it_with_references_in_the_place_of_values()
    {
        let mut digest = Workflow::new("digest")
            .open_to_users(false)
            .defaults(&json!({ "language": "en" }));
        let sorry = digest.task("sorry", task!(SplitBook { book: "none" }));
        let split = digest.task(
            "split",
            task!(SplitBook {
                book: param("book")
            }),
        );
        let chapter = task!(Summarise {
            keep_case: "Chapter {{index}}",
            ..
        })
        .needs(&split)
        .for_each(split.at("chapters"))
        .weight(8)
        .compensate_with(&sorry)
        .counts_documents();
        digest.task("chapter", chapter);
        assert_eq!(
            digest.definition(),
            json!({"type": "digest", "documents": "chapter", "open_to_users": false, "defaults": {"language": "en"}, "tasks": [
                {"key": "sorry", "kind": "split_book", "input": {"book": "none"}},
                {"key": "split", "kind": "split_book", "input": {"book": "{{params.book}}"}},
                {"key": "chapter", "kind": "summarise", "needs": ["split"], "for_each": "split.chapters", "weight": 8, "on_failure": {"compensate": "sorry"},
                 "input": {"keepCase": "Chapter {{index}}"}}]})
        );
    }

    #[test]
    fn an_input_has_the_names_that_serde_gives_the_fields_of_the_payload() {
        let mut workflow = Workflow::new("names");
        workflow.task(
            "all",
            task!(Summarise {
                keep_case: String::from("a"),
                words: Some(7),
                r#type: reference("params.type"),
                paper: template(json!({ "size": "{{params.size}}" })),
            }),
        );
        assert_eq!(
            workflow.definition()["tasks"][0]["input"],
            json!({"keepCase": "a", "count": 7, "type": "{{params.type}}", "size": "{{params.size}}"})
        );
    }
}
