//! What may be uploaded. Pure.

use chrono::{DateTime, Utc};
use gristmill_core::{Code, Problem};
use gristmill_files::sniff as sniffed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The name of this function in the older system.
pub(crate) const SHELL_FILE_PROCESSOR: &str = "shell-file-processor-v3";

/// The bucket in which compat clients store files by themselves.
pub(crate) const MEDICAL_DOCS: &str = "medical-docs";

/// The largest file, unless the binding UPLOAD_MAX_BYTES says otherwise.
pub(crate) const MAX_BYTES: u64 = 50 * 1024 * 1024;

/// What must have arrived to tell a type: the longest signature lies well within.
pub(crate) const HEAD: usize = 512;

/// The query of an upload.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Naming {
    /// Whose document it is; the caller's own default profile otherwise.
    pub(crate) profile_id: Option<Uuid>,
    /// As the person knows it. Kept as metadata, never used as a path.
    pub(crate) filename: Option<String>,
}

/// A file that the caller has stored in `medical-docs`. Clients say more, such as estimated_pages; what is not named here is not read.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Reference {
    /// Where it lies: `{user}/{time}_{name}`.
    #[serde(
        alias = "file_path",
        alias = "filePath",
        alias = "storagePath",
        alias = "path"
    )]
    pub(crate) storage_path: String,
    /// The bucket; none other than medical-docs.
    pub(crate) bucket: Option<String>,
    /// As the person knows it.
    #[serde(
        alias = "original_filename",
        alias = "fileName",
        alias = "originalName",
        alias = "name"
    )]
    pub(crate) filename: Option<String>,
    /// What the caller takes it for. The security stage finds out.
    #[serde(alias = "mimeType", alias = "type")]
    pub(crate) mime_type: Option<String>,
    /// What the caller takes it for. The security stage finds out.
    #[serde(alias = "fileSize", alias = "file_size", alias = "size")]
    pub(crate) file_size_bytes: Option<i64>,
    /// Whose document it is; the caller's own default profile otherwise.
    #[serde(alias = "patientId", alias = "profile_id", alias = "profileId")]
    pub(crate) patient_id: Option<Uuid>,
    /// As the header Idempotency-Key. Without either the place is the key.
    #[serde(alias = "idempotencyKey")]
    pub(crate) idempotency_key: Option<String>,
}

/// What a form says beside its file, in fields that come before it.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) patient_id: Option<String>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) filename: Option<String>,
}

/// What an upload answers under the compatible name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShellFile {
    /// The document.
    pub(crate) id: Uuid,
    /// The same id, as it is called in payloads of jobs.
    pub(crate) shell_file_id: Uuid,
    /// `uploaded`, or how far an earlier upload with the same key has come.
    pub(crate) status: String,
    /// Always true.
    pub(crate) success: bool,
}

impl ShellFile {
    pub(crate) fn new(id: Uuid, status: String) -> Self {
        Self {
            id,
            shell_file_id: id,
            status,
            success: true,
        }
    }
}

/// The query of a listing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    /// Of this profile alone.
    pub(crate) profile_id: Option<Uuid>,
    /// Older than this.
    pub(crate) before: Option<DateTime<Utc>>,
    /// At most so many, 200 at the most.
    pub(crate) limit: Option<u32>,
}

/// How a person ends a review.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Review {
    /// What came of it.
    pub(crate) decision: Decision,
    /// For whoever looks at the document later, 2,000 characters at the most.
    pub(crate) note: Option<String>,
}

/// What came of a review.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    /// What was read is right.
    Confirmed,
    /// It must not be relied on.
    Unusable,
}

impl From<Decision> for gristmill_rpc::Decision {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Confirmed => Self::Confirmed,
            Decision::Unusable => Self::Unusable,
        }
    }
}

/// What an upload answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Accepted {
    /// The document.
    pub(crate) id: Uuid,
    /// `uploaded`, or how far an earlier upload with the same key has come; `uploading` when Postgres went away
    /// meanwhile and will learn of the file later.
    pub(crate) status: String,
    /// Whether an earlier upload with the same key stored it; a header says so.
    #[serde(skip)]
    pub(crate) is_replay: bool,
}

/// The type of a file by its first bytes; neither its name nor its Content-Type is asked.
pub(crate) fn sniff(head: &[u8]) -> Result<&'static str, Problem> {
    sniffed(head).ok_or_else(|| {
        Problem::new(
            Code::UnsupportedType,
            "Send a PDF, PNG, JPEG, TIFF, WebP or HEIC file, or plain text.",
        )
    })
}

/// The boundary of a form, when the body is one.
pub(crate) fn boundary(content_type: Option<&str>) -> Option<String> {
    multer::parse_boundary(content_type?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide() {
        for (head, mime) in [
            (&b"%PDF-1.7\n"[..], "application/pdf"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
            (b"II*\0\x08\0\0\0\0\0\0\0", "image/tiff"),
            (b"MM\0*\0\0\0\x08\0\0\0\0", "image/tiff"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic"),
            ("Naïve text, für alle\n".as_bytes(), "text/plain"),
        ] {
            assert_eq!(sniff(head).unwrap(), mime);
        }
    }

    #[test]
    fn what_could_run_or_hide_is_refused() {
        for head in [
            &b"<html><script>"[..],
            b"  <svg xmlns=",
            b"<?xml version=",
            b"PK\x03\x04",
            b"MZ\x90\0",
            b"\x7fELF",
            b"%!PS-Adobe",
            b"GIF89a\x01\0",
            b"\0\0\0\0",
            b"\xff\xfe<\0h\0",
            b"",
        ] {
            assert_eq!(
                sniff(head).unwrap_err().code,
                Code::UnsupportedType,
                "{head:?}"
            );
        }
    }
}
