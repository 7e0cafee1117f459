use gristmill::Job;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "thumbnail", unique(by = ["object"], within = "3600"))]
struct Thumbnail {
    object: String,
}

fn main() {}
