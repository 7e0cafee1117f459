//! An error as the server reports it.

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorResponseBody;

/// The fields that an answer shows, and how bad it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerError {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) detail: Option<String>,
    pub(crate) hint: Option<String>,
    /// FATAL or PANIC: the session ends with it.
    pub(crate) ends_session: bool,
}

impl ServerError {
    pub(super) fn read(body: &ErrorResponseBody) -> std::io::Result<Self> {
        let mut error = Self::default();
        let mut fields = body.fields();
        while let Some(field) = fields.next()? {
            let text = String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'V' => error.ends_session = matches!(text.as_str(), "FATAL" | "PANIC"),
                b'C' => error.code = text,
                b'M' => error.message = text,
                b'D' => error.detail = Some(text),
                b'H' => error.hint = Some(text),
                _ => {}
            }
        }
        Ok(error)
    }
}
