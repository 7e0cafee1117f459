//! `functions.invoke('shell-file-processor-v3', { body })`: a file, or a reference to one that is stored.

use gristmill_core::{Code, Problem};
use gristmill_edge::{Call, Config, Reply};
use gristmill_rpc::StoredFile;

use crate::domain::{MEDICAL_DOCS, Reference, ShellFile};
use crate::receive;

pub(crate) async fn process(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let is_json = call
        .header("content-type")
        .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/json"));
    if is_json {
        refer(call, config).await
    } else {
        let accepted = receive::accept(call, config).await?;
        let is_replay = accepted.is_replay;
        let shell_file = ShellFile::new(accepted.id, accepted.status);
        Ok(Reply::json(202, &shell_file)?.replayed(is_replay))
    }
}

async fn refer(call: &mut Call, config: &Config) -> Result<Reply, Problem> {
    let rpc = config.rpc_for(&call.token()?)?;
    let header = call.idempotency_key()?;
    let said: Reference = call.json().await?;
    if said
        .bucket
        .as_deref()
        .is_some_and(|name| name != MEDICAL_DOCS)
    {
        let detail = "Files that are registered by reference lie in the bucket medical-docs.";
        return Err(Problem::new(Code::InvalidField, detail).at("bucket"));
    }
    let key = header
        .map(|key| key.as_str().to_owned())
        .or(said.idempotency_key);
    let file = StoredFile {
        storage_path: said.storage_path,
        filename: said.filename,
        mime_type: said.mime_type,
        file_size_bytes: said.file_size_bytes,
        patient_id: said.patient_id,
    };
    let registered = rpc.register_stored_file(&file, key.as_deref()).await?;
    Reply::json(202, &ShellFile::new(registered.id, registered.status))
}
