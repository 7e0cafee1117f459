use gristmill::{Cx, Failure, Job, JobSet, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "thumbnail")]
struct Thumbnail {
    object: String,
}

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "tidy")]
struct Tidy {
    days: u32,
}

#[derive(JobSet)]
enum Pictures {
    Thumbnail(Thumbnail),
    Tidy(Tidy),
}

async fn thumbnail(_: Thumbnail, _: &Cx) -> Result<(), Failure> {
    Ok(())
}

fn main() {
    let _ = jobs![for Pictures: thumbnail];
}
