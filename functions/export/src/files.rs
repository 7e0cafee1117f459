//! Files on their way out: one by a redirect or a link, a batch as a ZIP.

use gristmill_core::download::attachment;
use gristmill_core::export::ExportFile;
use gristmill_core::{Code, Problem};
use gristmill_edge::storage::{ObjectKey, Storage, StorageError, Store};
use gristmill_edge::{Call, Config, Reply};
use gristmill_files::saved_as;
use uuid::Uuid;

use crate::archive;
use crate::domain::Part;
use crate::handler::rpc;
use crate::names;

/// Long enough to follow a redirect, too short to be passed on.
const REDIRECT_SECONDS: u32 = 60;
/// Long enough for a page to show a link and for its reader to follow it.
const LINK_SECONDS: u32 = 3600;

pub(crate) async fn download(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let id = call.param("id")?;
    let rpc = rpc(call, config)?;
    let file = match rpc.download_export(id).await.map_err(Problem::from) {
        // A worker of the user's own has put it elsewhere, and then nothing of it is here.
        Err(problem) if problem.code == Code::Expired => {
            let export = rpc.get_export(id).await?;
            let url = export.and_then(|export| export.result_url);
            return url.map(Reply::redirect).ok_or(problem);
        }
        found => found?,
    };
    let store = Store::open(config, &call.token()?)?;
    let link = link(&store, &key(&file.path)?, &file.name, REDIRECT_SECONDS).await?;
    Ok(Reply::redirect(link))
}

/// A store that can sign links for the caller, who may have shown a ticket instead of a token. R2 asks for no token. Supabase Storage
/// asks for one: there the service's own has to do, where the function has it.
pub(crate) fn store_for_reader(call: &Call, config: &Config) -> Option<Store> {
    if call.ticket().is_none() {
        return Store::open(config, &call.token().ok()?).ok();
    }
    match Store::open(config, "").ok()? {
        store @ Store::R2(_) => Some(store),
        Store::Supabase(_) => Store::open_for_service(config).ok(),
    }
}

/// The address of an export's file, which a browser can follow without a token for an hour; None where nobody here can sign one.
pub(crate) async fn address(store: Option<&Store>, file: &ExportFile) -> Option<String> {
    let key = file.path.as_deref()?.parse().ok()?;
    link(store?, &key, &file.name, LINK_SECONDS).await.ok()
}

async fn link(
    store: &Store,
    key: &ObjectKey,
    name: &str,
    seconds: u32,
) -> Result<String, StorageError> {
    let url = store.sign(key, seconds).await?;
    Ok(saved_as(&url, &names::with_ending(name)))
}

pub(crate) async fn zip(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    zip_as(call, config, "exports.zip").await
}

/// The files of a batch as a ZIP that is saved under a name.
pub(crate) async fn zip_as(call: &Call, config: &Config, name: &str) -> Result<Reply, Problem> {
    let part: Part = call.read_query()?;
    let id: Uuid = call.param("id")?;
    let files = rpc(call, config)?
        .download_export_batch(id, part.is_enough()?)
        .await?;
    let store = Store::open(config, &call.token()?)?;
    let names = names::unique(files.iter().map(|file| file.name.as_str()));
    let mut entries = Vec::with_capacity(files.len());
    for (file, name) in files.iter().zip(names) {
        entries.push((name, key(&file.path)?));
    }
    let zip = Reply::stream("application/zip", archive::stream(store, entries));
    Ok(zip.with("content-disposition", attachment(name)))
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
