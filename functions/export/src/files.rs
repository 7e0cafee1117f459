//! Files on their way out: one by a redirect, a batch as a ZIP.

use gristmill_shared::edge::{Call, Config, Reply};
use gristmill_shared::storage::{ObjectKey, Storage, Store};
use gristmill_shared::{Code, Problem};

use crate::archive;
use crate::domain::Part;
use crate::handler::rpc;
use crate::names;

/// Long enough to follow a redirect, too short to be passed on.
const LINK_SECONDS: u32 = 60;

pub(crate) async fn download(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let file = rpc(call, config)?
        .download_export(call.param("id")?)
        .await?;
    let store = Store::open(config, &call.token()?)?;
    let url = store.sign(&key(&file.path)?, LINK_SECONDS).await?;
    // Both stores take the name for Content-Disposition from here.
    let joint = if url.contains('?') { '&' } else { '?' };
    let name = names::encoded(&file.name);
    Ok(Reply::redirect(format!("{url}{joint}download={name}")))
}

pub(crate) async fn zip(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let part: Part = call.read_query()?;
    let files = rpc(call, config)?
        .download_export_batch(call.param("id")?, part.is_enough()?)
        .await?;
    let store = Store::open(config, &call.token()?)?;
    let names = names::unique(files.iter().map(|file| file.name.as_str()));
    let mut entries = Vec::with_capacity(files.len());
    for (file, name) in files.iter().zip(names) {
        entries.push((name, key(&file.path)?));
    }
    Ok(
        Reply::stream("application/zip", archive::stream(store, entries)).with(
            "content-disposition",
            "attachment; filename=\"exports.zip\"",
        ),
    )
}

fn key(path: &str) -> Result<ObjectKey, Problem> {
    path.parse().map_err(|error| {
        Problem::new(
            Code::Internal,
            "The failure was logged under this correlation id.",
        )
        .because(error)
    })
}
