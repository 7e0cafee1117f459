//! The calls about documents and their files.

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Rpc, RpcError, Ticket};
use gristmill_core::job::{Ending, Holder, JobId, Outcome, Usage};
use gristmill_files::ObjectKey;

/// An upload that Postgres knows of.
#[derive(Debug, Deserialize)]
pub struct BegunUpload {
    /// The document.
    pub id: Uuid,
    /// Where to store its file.
    pub place: ObjectKey,
    /// An earlier upload with the same key has ended.
    pub is_stored: bool,
}

/// What beginning an upload answered.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Begun {
    /// It may be stored.
    Upload(BegunUpload),
    /// The plan does not admit another file.
    OverPlan {
        /// The meters that are used up.
        over: Vec<String>,
    },
}

/// What ending an upload answered.
#[derive(Debug, Deserialize)]
pub struct FinishedUpload {
    /// Of the document.
    pub status: String,
    /// This upload made it.
    pub is_new: bool,
    /// The key belongs to another file.
    #[serde(default)]
    pub is_other: bool,
    /// The meters of the plan that forbid it; then there is no document.
    #[serde(default)]
    pub over: Vec<String>,
}

/// What became of an upload that was begun and never ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovered {
    /// Its object is a document's.
    Registered,
    /// It has stored nothing yet, and still may.
    Waiting,
    /// It is given up; its object, if any, is to be removed.
    Forgotten,
}

/// What beginning a stage answered.
#[derive(Debug, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum BegunStage {
    /// There is work.
    Work(StagedDocument),
    /// The stage was done before, by this job or by another.
    Done {
        /// The stage.
        stage: String,
        /// Who did it, where that is on record.
        by_job: Option<JobId>,
    },
    /// Another job works on the stage now.
    Busy {
        /// Which.
        by_job: JobId,
    },
    /// The job can do nothing for its document.
    Refused {
        /// Why, as a word.
        r#type: StageRefusal,
        /// Why, as a sentence.
        message: String,
        /// Whether it may be otherwise later.
        retryable: bool,
    },
}

/// Why a job cannot begin its stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageRefusal {
    /// The payload names no document, or one that does not exist.
    UnknownDocument,
    /// The document is being erased.
    Erased,
    /// The file is not stored yet.
    NotUploaded,
    /// The payload names another file than the document's.
    OtherFile,
    /// The security stage refused the document.
    Refused,
    /// The document was processed again since.
    OtherRun,
    /// The document has not come to this stage.
    NotReached,
}

impl StageRefusal {
    /// The stable word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnknownDocument => "unknown_document",
            Self::Erased => "erased",
            Self::NotUploaded => "not_uploaded",
            Self::OtherFile => "other_file",
            Self::Refused => "refused",
            Self::OtherRun => "other_run",
            Self::NotReached => "not_reached",
        }
    }
}

/// What the security stage found out about a file by reading it.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// In bytes.
    pub size: u64,
    /// Of all bytes; none where not all were read.
    pub sha256: Option<String>,
    /// By its first bytes; none where they tell none.
    pub mime_type: Option<&'static str>,
}

/// How the security stage ends a document that it does not let through.
#[derive(Debug, Serialize)]
pub struct RefusedDocument<'a> {
    /// refused or infected.
    #[serde(rename = "p_status")]
    pub status: &'a str,
    /// Why: type, reason, message and retryable.
    #[serde(rename = "p_error")]
    pub error: serde_json::Value,
    /// Where its file lies now.
    #[serde(rename = "p_place")]
    pub place: &'a ObjectKey,
    /// What was read of it.
    #[serde(rename = "p_measured")]
    pub measured: &'a Measured,
}

/// Below these confidences what was read is in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Thresholds {
    /// Of a page.
    pub page: f32,
    /// Of a word.
    pub word: f32,
    /// Of a fact.
    pub fact: f32,
}

// As Postgres has them by default: an older schema does not say.
impl Default for Thresholds {
    fn default() -> Self {
        Self {
            page: 0.75,
            word: 0.5,
            fact: 0.7,
        }
    }
}

/// How a person ends the review of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// What was read is right.
    Confirmed,
    /// It must not be relied on.
    Unusable,
}

/// What a stage works on.
#[derive(Debug, Deserialize)]
pub struct StagedDocument {
    /// The document.
    pub id: Uuid,
    /// Which stage it is in.
    pub stage: String,
    /// What the uploader said; once it is scanned, by the file's first bytes.
    pub mime_type: String,
    /// Where its file lies.
    pub storage_path: ObjectKey,
    /// What the uploader said; once it is scanned, of the bytes that were scanned.
    pub sha256: Option<String>,
    /// Whether the security stage has passed the file before.
    pub is_scanned: bool,
    /// Where the security stage stores what it has scanned, unless it lies there already.
    pub keep_at: Option<ObjectKey>,
    /// The largest file that is processed.
    pub max_bytes: u64,
    /// How many pages it has, once known.
    pub page_count: Option<u32>,
    /// Pages that an earlier try of the same job had read by a provider.
    #[serde(default)]
    pub pages_read: Vec<u32>,
    /// What its pages are read as, in tesseract's names. Only the stage that reads them is told.
    pub language: Option<String>,
    /// Below which confidences what was read is in doubt.
    #[serde(default)]
    pub thresholds: Thresholds,
}

/// What the sweep has to look at.
#[derive(Debug, Deserialize)]
pub struct Leftovers {
    /// Uploads that were begun long ago and never ended.
    pub uploads: Vec<UnfinishedUpload>,
    /// Erasures that did not get to their end.
    pub erasing: Vec<Uuid>,
}

/// An upload that was begun and never ended.
#[derive(Debug, Deserialize)]
pub struct UnfinishedUpload {
    /// Where its object would lie.
    pub place: ObjectKey,
}

#[derive(Serialize)]
struct ById {
    p_id: Uuid,
}

/// The file of a document.
#[derive(Debug, Clone, Deserialize)]
pub struct DocumentFile {
    /// Where it lies.
    pub path: ObjectKey,
    /// As the person knows it.
    pub name: Option<String>,
}

impl Rpc {
    /// A ticket for [`Rpc::document_events`].
    pub async fn document_ticket(&self, id: Uuid) -> Result<Option<Ticket>, RpcError> {
        self.ticket_for("document_events", json!({ "p_id": id }))
            .await
    }

    /// First phase of an upload.
    pub async fn begin_document_upload(
        &self,
        mime_type: &str,
        filename: Option<&str>,
        idempotency_key: Option<&str>,
        profile: Option<Uuid>,
    ) -> Result<Begun, RpcError> {
        let arguments = json!({ "p_mime_type": mime_type, "p_filename": filename, "p_idempotency_key": idempotency_key, "p_profile_id": profile });
        self.documents()
            .call("begin_document_upload", &arguments)
            .await
    }

    /// Second phase: the object is stored.
    pub async fn finish_document_upload(
        &self,
        begun: &BegunUpload,
        size: u64,
        sha256: &str,
    ) -> Result<FinishedUpload, RpcError> {
        let arguments =
            json!({ "p_id": begun.id, "p_place": begun.place, "p_size": size, "p_sha256": sha256 });
        self.documents()
            .call("finish_document_upload", &arguments)
            .await
    }

    /// Instead of the second phase. True when nothing names the place any more: what is stored there may go.
    pub async fn abandon_document_upload(&self, begun: &BegunUpload) -> Result<bool, RpcError> {
        self.documents()
            .call(
                "abandon_document_upload",
                &json!({ "p_id": begun.id, "p_place": begun.place }),
            )
            .await
    }

    /// The caller's documents, newest first, as Postgres wrote them.
    pub async fn list_documents(
        &self,
        profile: Option<Uuid>,
        before: Option<DateTime<Utc>>,
        limit: Option<u32>,
    ) -> Result<Box<RawValue>, RpcError> {
        let arguments =
            json!({ "p_profile_id": profile, "p_before": before, "p_limit": limit.unwrap_or(50) });
        self.documents().call("list_documents", &arguments).await
    }

    /// One document with what was found in it, as Postgres wrote it.
    pub async fn get_document(&self, id: Uuid) -> Result<Option<Box<RawValue>>, RpcError> {
        let document: Box<RawValue> = self
            .documents()
            .call("get_document", &ById { p_id: id })
            .await?;
        Ok((document.get() != "null").then_some(document))
    }

    /// Where a document's checked file lies and what it is called; none for an unknown document and another's alike.
    pub async fn document_file(&self, id: Uuid) -> Result<Option<DocumentFile>, RpcError> {
        self.documents()
            .call("document_file", &ById { p_id: id })
            .await
    }

    /// What happened to a document after an event.
    pub async fn document_events<T: DeserializeOwned>(
        &self,
        id: Uuid,
        after: u64,
    ) -> Result<Option<T>, RpcError> {
        self.documents()
            .call("document_events", &json!({ "p_id": id, "p_after": after }))
            .await
    }

    /// Starts a document over.
    pub async fn reprocess_document(&self, id: Uuid) -> Result<Box<RawValue>, RpcError> {
        self.documents()
            .create("reprocess_document", &ById { p_id: id })
            .await
    }

    /// Ends the review of a document, and answers who did so, when and how. The same decision again changes nothing.
    pub async fn review_document(
        &self,
        id: Uuid,
        decision: Decision,
        note: Option<&str>,
    ) -> Result<Box<RawValue>, RpcError> {
        let arguments = json!({ "p_id": id, "p_decision": decision, "p_note": note });
        self.documents().call("review_document", &arguments).await
    }

    /// Erases what was read, and answers which objects have to go.
    pub async fn begin_erase_document(&self, id: Uuid) -> Result<Vec<ObjectKey>, RpcError> {
        #[derive(Deserialize)]
        struct Answer {
            places: Vec<ObjectKey>,
        }
        let answer: Answer = self
            .documents()
            .call("begin_erase_document", &ById { p_id: id })
            .await?;
        Ok(answer.places)
    }

    /// Its objects are gone.
    pub async fn finish_erase_document(&self, id: Uuid) -> Result<bool, RpcError> {
        self.documents()
            .call("finish_erase_document", &ById { p_id: id })
            .await
    }

    /// What a stage works on, or why it has no work; none when the lease is lost.
    pub async fn begin_document_stage(
        &self,
        holder: &Holder,
    ) -> Result<Option<BegunStage>, RpcError> {
        self.documents().call("begin_document_stage", holder).await
    }

    /// Keeps one page; false when the lease is lost.
    pub async fn save_document_page(
        &self,
        holder: &Holder,
        page: &impl Serialize,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Said<T: Serialize> {
            p_page: T,
        }
        let said = Said { p_page: page };
        self.documents()
            .call_as(holder, "save_document_page", said)
            .await
    }

    /// Parts of a document, for later stages.
    pub async fn document_content<T: DeserializeOwned>(
        &self,
        id: Uuid,
        parts: &[&str],
    ) -> Result<T, RpcError> {
        self.documents()
            .call("document_content", &json!({ "p_id": id, "p_parts": parts }))
            .await
    }

    /// Writes what a stage found and completes its job, in one transaction; false when the lease is lost. May be said twice.
    pub async fn finish_document_stage(
        &self,
        holder: &Holder,
        result: &impl Serialize,
        ending: &Ending<'_, impl Serialize>,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Said<T: Serialize, E: Serialize> {
            p_result: T,
            p_outcome: E,
        }
        let said = Said {
            p_result: result,
            p_outcome: ending,
        };
        self.documents()
            .call_as(holder, "finish_document_stage", said)
            .await
    }

    /// Returns the job of a stage that failed, and notes why with its document, in one transaction; false when the lease is lost.
    pub async fn fail_document_stage(
        &self,
        holder: &Holder,
        outcome: &Outcome,
        usage: Option<Usage>,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Failed<'a> {
            #[serde(flatten)]
            outcome: &'a Outcome,
            #[serde(skip_serializing_if = "Option::is_none")]
            usage: Option<Usage>,
        }
        #[derive(Serialize)]
        struct Said<'a> {
            p_outcome: Failed<'a>,
        }
        let said = Said {
            p_outcome: Failed { outcome, usage },
        };
        self.documents()
            .call_as(holder, "fail_document_stage", said)
            .await
    }

    /// Ends a document as refused or infected and completes its job, in one transaction; false when the lease is lost. May be
    /// said twice.
    pub async fn refuse_document(
        &self,
        holder: &Holder,
        refusal: &RefusedDocument<'_>,
        ending: &Ending<'_, impl Serialize>,
    ) -> Result<bool, RpcError> {
        #[derive(Serialize)]
        struct Said<'a, E: Serialize> {
            #[serde(flatten)]
            refusal: &'a RefusedDocument<'a>,
            p_outcome: E,
        }
        let said = Said {
            refusal,
            p_outcome: ending,
        };
        self.documents()
            .call_as(holder, "refuse_document", said)
            .await
    }

    /// What the sweep has to look at.
    pub async fn document_leftovers(&self) -> Result<Leftovers, RpcError> {
        self.documents()
            .call("document_leftovers", &json!({}))
            .await
    }

    /// Ends an unfinished upload by whether its object is there.
    pub async fn recover_upload(
        &self,
        place: &ObjectKey,
        size: Option<u64>,
    ) -> Result<Recovered, RpcError> {
        self.documents()
            .call(
                "recover_upload",
                &json!({ "p_place": place, "p_size": size }),
            )
            .await
    }

    /// Which of these objects belong to no document.
    pub async fn orphaned_objects(&self, places: &[String]) -> Result<Vec<ObjectKey>, RpcError> {
        self.documents()
            .call("orphaned_objects", &json!({ "p_places": places }))
            .await
    }
}
