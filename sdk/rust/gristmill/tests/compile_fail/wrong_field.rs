use gristmill::{Client, Job};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "thumbnail")]
struct Thumbnail {
    width: u16,
}

fn main() {
    let client = Client::new("http://127.0.0.1:9", "key");
    let _ = client.enqueue(&Thumbnail { width: "wide" });
}
