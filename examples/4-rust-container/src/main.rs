//! A container worker with one kind of job. With the name of an object it enqueues a job; without one it works until it is told to stop.

use std::error::Error;
use std::time::Duration;

use gristmill::{Client, Cx, Failure, Job, Worker, dead, jobs, snooze};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "thumbnail", queue = "pictures", max_attempts = 8, unique(by = ["object", "width"], within = "1h"))]
struct Thumbnail {
    object: String,
    width: u16,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Thumb {
    object: String,
    attempt: u32,
}

async fn thumbnail(job: Thumbnail, cx: &Cx) -> Result<Thumb, Failure> {
    if job.width == 0 {
        return Err(dead("A picture has a width."));
    }
    if job.object.starts_with("later/") {
        return Err(snooze(Duration::from_secs(60)));
    }
    cx.log().info(format!("making {} pixels of {}", job.width, job.object));
    cx.progress(50);
    Ok(Thumb {
        object: format!("small/{}", job.object),
        attempt: cx.attempt(),
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Some(object) = std::env::args().nth(1) {
        let job = Thumbnail { object, width: 200 };
        let enqueued = Client::from_env()?.enqueue(&job).group_key("demo").await?;
        println!("{:?}", enqueued.status);
        return Ok(());
    }
    Ok(Worker::from_env()?.jobs(jobs![thumbnail]).run().await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill::testing;

    #[tokio::test]
    async fn a_thumbnail_is_made_and_logged() {
        let object = "cat.png".to_owned();
        let ran = testing::run(jobs![thumbnail], &Thumbnail { object, width: 9 }).await;
        let thumb: Thumb = ran.result().unwrap();
        assert_eq!(thumb.object, "small/cat.png");
        assert_eq!(ran.logs[0].message, "making 9 pixels of cat.png");
        assert_eq!(ran.progress, Some(50));
    }

    #[tokio::test]
    async fn a_picture_without_a_width_is_a_dead_letter() {
        let object = "cat.png".to_owned();
        let ran = testing::run(jobs![thumbnail], &Thumbnail { object, width: 0 }).await;
        assert!(!ran.failure().unwrap().retryable);
    }
}
