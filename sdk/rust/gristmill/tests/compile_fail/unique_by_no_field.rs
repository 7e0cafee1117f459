use gristmill::Job;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "thumbnail", unique(by = ["picture"], within = "1h"))]
struct Thumbnail {
    object: String,
}

fn main() {}
