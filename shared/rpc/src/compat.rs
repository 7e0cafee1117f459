//! What the compat programs need beside the applications. Compat is always in `public`, whatever schema an application is in.

use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::{Rpc, RpcError};

/// A file that a client has stored in the bucket `medical-docs`.
#[derive(Debug)]
pub struct StoredFile {
    /// Its key in the bucket.
    pub storage_path: String,
    /// As the person knows it.
    pub filename: Option<String>,
    /// What the client says.
    pub mime_type: Option<String>,
    /// What the client says.
    pub file_size_bytes: Option<i64>,
    /// Whose document it becomes; the caller's own default profile otherwise.
    pub patient_id: Option<Uuid>,
}

/// The document of a stored file.
#[derive(Debug, Deserialize)]
pub struct RegisteredFile {
    /// The document.
    pub id: Uuid,
    /// How far it is.
    pub status: String,
}

impl Rpc {
    /// Makes a document of a file that the caller has stored by itself. A repeat answers the same document.
    pub async fn register_stored_file(
        &self,
        file: &StoredFile,
        idempotency_key: Option<&str>,
    ) -> Result<RegisteredFile, RpcError> {
        let arguments = json!({ "p_storage_path": file.storage_path, "p_filename": file.filename, "p_mime_type": file.mime_type,
            "p_size": file.file_size_bytes, "p_idempotency_key": idempotency_key, "p_profile_id": file.patient_id });
        self.call("register_stored_file", &arguments).await
    }
}
