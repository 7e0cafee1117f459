use gristmill::Job;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
struct Thumbnail {
    object: String,
}

fn main() {}
