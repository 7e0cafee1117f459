//! Matches objects and rows, both ways: uploads that were stored and not registered, or begun and not stored; erasures
//! that stopped half-way; objects that no row names.

use async_trait::async_trait;
use chrono::{TimeDelta, Utc};
use gristmill_core::job::{ClaimedJob, Failure, Outcome};
use gristmill_rpc::Recovered;
use serde_json::{Value, json};

use super::Trouble;
use gristmill_runner::{Context, Handler};

/// An object younger than this may belong to an upload whose row is a moment away.
const YOUNG: TimeDelta = TimeDelta::minutes(10);

/// Removes objects that no document names.
pub struct Sweep;

#[async_trait]
impl Handler for Sweep {
    fn kinds(&self) -> &'static [&'static str] {
        &["document_sweep"]
    }

    async fn run(&self, job: &ClaimedJob, context: &Context<'_>) -> Outcome {
        let asked: Value = serde_json::from_str(job.payload.get()).unwrap_or_default();
        let swept = async {
            let (registered, forgotten) = uploads(context).await?;
            let erased = erasures(context).await?;
            let orphans = if asked["listing"] == json!(true) {
                listing(context, asked["any_age"] == json!(true)).await?
            } else {
                0
            };
            Ok::<_, Trouble>(
                json!({ "registered": registered, "forgotten": forgotten, "erased": erased, "orphans": orphans }),
            )
        };
        match swept.await {
            Ok(report) => Outcome::completed(&report),
            Err(trouble) => Outcome::Failed {
                error: Failure::retryable("network_error", trouble.to_string()),
            },
        }
    }
}

async fn uploads(context: &Context<'_>) -> Result<(u32, u32), Trouble> {
    let (mut registered, mut forgotten) = (0, 0);
    for upload in context.rpc.document_leftovers().await?.uploads {
        let found = context.storage.list(upload.place.as_str(), None).await?;
        let size = found
            .objects
            .iter()
            .find(|object| object.key == upload.place.name())
            .map(|object| object.size);
        match context.rpc.recover_upload(&upload.place, size).await? {
            Recovered::Registered => registered += 1,
            Recovered::Waiting => {}
            Recovered::Forgotten => {
                forgotten += 1;
                if size.is_some() {
                    context.storage.remove(&[upload.place]).await?;
                }
            }
        }
    }
    Ok((registered, forgotten))
}

async fn erasures(context: &Context<'_>) -> Result<u32, Trouble> {
    let mut erased = 0;
    for document in context.rpc.document_leftovers().await?.erasing {
        let places = context.rpc.begin_erase_document(document).await?;
        context.storage.remove(&places).await?;
        erased += u32::from(context.rpc.finish_erase_document(document).await?);
    }
    Ok(erased)
}

async fn listing(context: &Context<'_>, any_age: bool) -> Result<u32, Trouble> {
    let mut cursor = None;
    let mut removed = 0;
    loop {
        let part = context.storage.list("", cursor.as_deref()).await?;
        let old = Utc::now() - YOUNG;
        let places: Vec<String> = part
            .objects
            .into_iter()
            .filter(|object| any_age || object.updated_at < old)
            .map(|object| object.key)
            .collect();
        if !places.is_empty() {
            let orphans = context.rpc.orphaned_objects(&places).await?;
            removed += orphans.len() as u32;
            context.storage.remove(&orphans).await?;
        }
        cursor = part.cursor;
        if cursor.is_none() || context.is_cancelled() {
            return Ok(removed);
        }
    }
}
