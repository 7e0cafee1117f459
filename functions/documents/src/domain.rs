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
    /// The profile that the document belongs to; the caller's default profile when absent.
    pub(crate) profile_id: Option<Uuid>,
    /// The name of the file as the person knows it. It is kept as metadata and never used as a path.
    pub(crate) filename: Option<String>,
}

/// A file that the caller has stored in `medical-docs`. Other fields, such as estimated_pages, are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Reference {
    /// The path of the file in the bucket: `{user}/{time}_{name}`.
    #[serde(
        alias = "file_path",
        alias = "filePath",
        alias = "storagePath",
        alias = "path"
    )]
    pub(crate) storage_path: String,
    /// The bucket; only medical-docs is accepted.
    pub(crate) bucket: Option<String>,
    /// The name of the file as the person knows it.
    #[serde(
        alias = "original_filename",
        alias = "fileName",
        alias = "originalName",
        alias = "name"
    )]
    pub(crate) filename: Option<String>,
    /// The media type as the caller knows it. The security stage determines the real type.
    #[serde(alias = "mimeType", alias = "type")]
    pub(crate) mime_type: Option<String>,
    /// The size as the caller knows it. The security stage measures the real size.
    #[serde(alias = "fileSize", alias = "file_size", alias = "size")]
    pub(crate) file_size_bytes: Option<i64>,
    /// The profile that the document belongs to; the caller's default profile when absent.
    #[serde(alias = "patientId", alias = "profile_id", alias = "profileId")]
    pub(crate) patient_id: Option<Uuid>,
    /// Means the same as the header Idempotency-Key. Without both, storage_path is the key.
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

/// The answer to an upload in the compatible form.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShellFile {
    /// The id of the document.
    pub(crate) id: Uuid,
    /// The same id, under the name that payloads of jobs use.
    pub(crate) shell_file_id: Uuid,
    /// `uploaded` for a new document, or the present status of the document that an earlier upload with the same key made.
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

/// The query of `GET /v1/documents`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    /// Lists only documents of this profile.
    pub(crate) profile_id: Option<Uuid>,
    /// Lists only documents that were created before this time.
    pub(crate) before: Option<DateTime<Utc>>,
    /// How many documents to list at most; 200 is the maximum.
    pub(crate) limit: Option<u32>,
}

/// How a person ends a review.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Review {
    /// The result of the review.
    pub(crate) decision: Decision,
    /// A note for people who look at the document later. At most 2,000 characters.
    pub(crate) note: Option<String>,
}

/// The result of a review.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    /// The extracted data is right.
    Confirmed,
    /// The extracted data must not be relied on.
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

/// The answer to an upload.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Accepted {
    /// The id of the document.
    pub(crate) id: Uuid,
    /// `uploaded` for a new document, or the present status of the document that an earlier upload with the same key made. `uploading`
    /// when Postgres could not be reached after the file was stored: the document is registered later.
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
