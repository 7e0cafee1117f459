//! One piece of a cleanup step whose objects lie in storage.

use super::{ObjectKey, Storage, Store};
use gristmill_core::{Code, Problem};
use gristmill_rpc::{CleanupReport, Rpc};

/// Runs one piece. Objects go first, and only then do their rows: whatever dies in between is named again by the next run.
pub async fn clean(
    rpc: &Rpc,
    open: impl FnOnce() -> Result<Store, Problem>,
    step: &str,
) -> Result<CleanupReport, Problem> {
    let mut piece = rpc.run_cleanup_step(step).await?;
    if !piece.remove.is_empty() {
        let keys = piece.remove.iter().map(|key| key.parse::<ObjectKey>());
        let keys = keys.collect::<Result<Vec<_>, _>>().map_err(|error| {
            Problem::new(
                Code::Internal,
                "An object key does not have the form of our keys.",
            )
            .because(error)
        })?;
        open()?.remove(&keys).await?;
        rpc.confirm_cleanup_step(step, &piece.remove).await?;
        piece.done.insert("objects".into(), keys.len().into());
    }
    Ok(piece)
}
