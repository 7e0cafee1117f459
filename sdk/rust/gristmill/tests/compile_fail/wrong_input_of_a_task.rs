use gristmill::workflow::Workflow;
use gristmill::{Job, task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "summarise")]
struct Summarise {
    text: String,
    words: u32,
}

fn main() {
    let mut digest = Workflow::new("digest");
    digest.task("a", task!(Summarise { text: "a" }));
    digest.task("b", task!(Summarise { text: "a", words: "two" }));
    digest.task("c", task!(Summarise { text: "a", words: 2, size: 3 }));
    digest.task("d", task!(Summarise { text: "a", words: 2 }).needs(&chapter));
}
