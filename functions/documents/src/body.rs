//! A body on its way to the store: counted, hashed and bounded as it passes.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::stream::LocalBoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use gristmill_core::{Code, Problem};
use gristmill_edge::Call;
use send_wrapper::SendWrapper;
use sha2::{Digest, Sha256};

use crate::domain::{self, Fields, HEAD};

type Chunks = LocalBoxStream<'static, Result<Vec<u8>, worker::Error>>;

/// A file that has begun to arrive.
pub(crate) struct Arriving {
    /// By its first bytes.
    pub(crate) mime_type: &'static str,
    /// From the form, where there is one.
    pub(crate) filename: Option<String>,
    /// From the form too.
    pub(crate) fields: Fields,
    head: Vec<u8>,
    rest: Chunks,
    limit: u64,
}

/// What has passed.
#[derive(Default)]
pub(crate) struct Passed {
    pub(crate) size: u64,
    digest: Sha256,
    pub(crate) is_too_large: bool,
    pub(crate) is_broken: bool,
}

impl Passed {
    pub(crate) fn sha256(&self) -> String {
        self.digest
            .clone()
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Why a body was cut short, if the sender is why.
    pub(crate) fn fault(&self, limit: u64) -> Option<Problem> {
        if self.is_too_large {
            Some(too_large(limit))
        } else if self.is_broken {
            Some(Problem::new(
                Code::IncompleteBody,
                "The body ended before it was complete.",
            ))
        } else {
            None
        }
    }
}

fn too_large(limit: u64) -> Problem {
    Problem::new(
        Code::TooLarge,
        format!("A file may have at most {limit} bytes."),
    )
}

/// Reads as much as tells the type; a file that is refused now has left no trace.
pub(crate) async fn begin(call: &mut Call, limit: u64) -> Result<Arriving, Problem> {
    let announced = call
        .header("content-length")
        .and_then(|length| length.parse::<u64>().ok());
    let content_type = call.header("content-type");
    let chunks = call.stream()?;
    // A form is a little larger than the file in it.
    if announced.is_some_and(|length| length > limit + 64 * 1024) {
        drain(chunks.boxed_local()).await;
        return Err(too_large(limit));
    }
    let (filename, fields, mut chunks) = match domain::boundary(content_type.as_deref()) {
        None => (None, Fields::default(), chunks.boxed_local()),
        Some(boundary) => file_of_form(chunks.boxed_local(), boundary).await?,
    };
    let mut head = Vec::new();
    while head.len() < HEAD {
        match chunks.next().await {
            Some(Ok(chunk)) => head.extend(chunk),
            Some(Err(error)) => {
                return Err(Problem::new(
                    Code::IncompleteBody,
                    "The body ended before it was complete.",
                )
                .because(error));
            }
            None => break,
        }
    }
    if head.is_empty() {
        return Err(Problem::new(Code::EmptyBody, "Send the file as the body."));
    }
    match domain::sniff(&head) {
        Ok(mime_type) => Ok(Arriving {
            mime_type,
            filename,
            fields,
            head,
            rest: chunks,
            limit,
        }),
        Err(problem) => {
            drain(chunks).await;
            Err(problem)
        }
    }
}

async fn file_of_form(
    chunks: Chunks,
    boundary: String,
) -> Result<(Option<String>, Fields, Chunks), Problem> {
    let not_a_form = |error: multer::Error| {
        Problem::new(Code::InvalidField, "The form could not be read.").because(error)
    };
    // Fields are read into memory, the file is not.
    let sizes = ["patient_id", "idempotency_key", "filename"]
        .into_iter()
        .fold(multer::SizeLimit::new(), |sizes, name| {
            sizes.for_field(name, 4 * 1024)
        });
    let mut form = multer::Multipart::with_constraints(
        SendWrapper::new(chunks.map_ok(bytes::Bytes::from)),
        boundary,
        multer::Constraints::new().size_limit(sizes),
    );
    let mut fields = Fields::default();
    while let Some(field) = form.next_field().await.map_err(not_a_form)? {
        if let Some(name) = field.file_name().map(str::to_owned) {
            // The form must live as long as its field is read.
            let chunks = stream::unfold((field, form), async |(mut field, form)| {
                let chunk = match field.chunk().await {
                    Ok(chunk) => chunk.map(|bytes| Ok(bytes.to_vec()))?,
                    Err(error) => Err(worker::Error::from(error.to_string())),
                };
                Some((chunk, (field, form)))
            });
            // Fused: a file shorter than a head is asked once more after its end, which unfold does not forgive.
            return Ok((Some(name), fields, chunks.fuse().boxed_local()));
        }
        let slot = match field.name() {
            Some("patient_id") => &mut fields.patient_id,
            Some("idempotency_key") => &mut fields.idempotency_key,
            Some("filename") => &mut fields.filename,
            _ => continue,
        };
        // Not text(): that brings tables of every charset, 140 KB of them.
        let bytes = field.bytes().await.map_err(not_a_form)?;
        *slot = Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    Err(Problem::new(Code::InvalidField, "The form has no file in it.").at("file"))
}

impl Arriving {
    /// The whole file, and what is known of it once it has passed.
    pub(crate) fn pass(self) -> (Chunks, Rc<RefCell<Passed>>) {
        let passed = Rc::new(RefCell::new(Passed::default()));
        let seen = passed.clone();
        let limit = self.limit;
        let chunks = stream::iter([Ok(self.head)])
            .chain(self.rest)
            .map(move |chunk| {
                let mut seen = seen.borrow_mut();
                let chunk = chunk.inspect_err(|_| seen.is_broken = true)?;
                seen.size += chunk.len() as u64;
                if seen.size > limit {
                    seen.is_too_large = true;
                    return Err(worker::Error::from("the file is too large"));
                }
                seen.digest.update(&chunk);
                Ok(chunk)
            });
        (chunks.boxed_local(), passed)
    }

    /// Reads what is left of a file that is refused.
    pub(crate) async fn drain(self) {
        drain(self.rest).await;
    }

    /// Reads it to its end without keeping it.
    pub(crate) async fn digest(self) -> Rc<RefCell<Passed>> {
        let (mut chunks, passed) = self.pass();
        while let Some(Ok(_)) = chunks.next().await {}
        passed
    }
}

// An answer to a body that was not read can be lost with the connection: some servers reset it.
async fn drain(mut chunks: Chunks) {
    let mut left = 64 * 1024 * 1024_usize;
    while let Some(Ok(chunk)) = chunks.next().await {
        match left.checked_sub(chunk.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
