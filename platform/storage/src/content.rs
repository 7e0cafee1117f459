//! An object on its way out: whole, in part, or not at all where the caller has it already.

use futures_util::TryStreamExt;
use gristmill_core::download::{Part, attachment, is_seen};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, HeaderMap, HeaderName, IF_NONE_MATCH, IF_RANGE, LAST_MODIFIED, RANGE,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, SeekFrom};
use tokio_util::io::ReaderStream;

use super::api::Refusal;
use super::disk::Metadata;
use gristmill_native::serve::Answer;

/// The name that `?download=NAME` asks for; None where it says none.
pub(super) fn saved_as(query: Option<&str>) -> Option<String> {
    let query = query.unwrap_or_default();
    let asked = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "download");
    asked
        .map(|(_, name)| unescaped(name.into_owned()))
        .filter(|name| !name.is_empty())
}

// supabase-js 2.109 escapes the query of a signed link twice, so that a letter beyond ASCII arrives as an escape.
fn unescaped(name: String) -> String {
    match percent_encoding::percent_decode_str(&name).decode_utf8() {
        Ok(decoded) if !decoded.is_ascii() => decoded.into_owned(),
        _ => name,
    }
}

/// Answers with a file whose first byte of content comes next. As an attachment that is not sniffed: an upload must not become a page
/// of ours.
pub(super) async fn answer(
    metadata: &Metadata,
    mut file: File,
    asked: &HeaderMap,
    name: &str,
) -> Result<Answer, Refusal> {
    let header = |name: HeaderName| asked.get(name).and_then(|value| value.to_str().ok());
    let etag = format!("\"{}\"", metadata.sha256);
    let answer = Response::builder()
        .header(ACCEPT_RANGES, "bytes")
        .header(CACHE_CONTROL, "no-store")
        .header(CONTENT_DISPOSITION, attachment(name))
        .header(ETAG, &etag)
        .header(LAST_MODIFIED, http_date(metadata))
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff");
    if is_seen(header(IF_NONE_MATCH), &etag) {
        let empty = http_body_util::Empty::new().map_err(|never| match never {});
        return answer
            .status(StatusCode::NOT_MODIFIED)
            .body(empty.boxed_unsync())
            .map_err(|_| Refusal::Away);
    }
    let part = Part::asked(header(RANGE), header(IF_RANGE), &etag, metadata.size);
    let (first, length) = part.span(metadata.size);
    let offset = i64::try_from(first).map_err(|_| Refusal::Request)?;
    file.seek(SeekFrom::Current(offset)).await?;
    let mut answer = answer
        .status(part.status())
        .header(CONTENT_TYPE, &metadata.content_type)
        .header(CONTENT_LENGTH, length);
    if let Some(range) = part.content_range(metadata.size) {
        answer = answer.header(CONTENT_RANGE, range);
    }
    let stream = ReaderStream::with_capacity(file.take(length), 64 * 1024).map_ok(Frame::data);
    answer
        .body(StreamBody::new(stream).boxed_unsync())
        .map_err(|_| Refusal::Away)
}

fn http_date(metadata: &Metadata) -> String {
    let date = metadata.updated_at.format("%a, %d %b %Y %H:%M:%S GMT");
    date.to_string()
}
