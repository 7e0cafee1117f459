//! Reads an error as the server reports it.

use fallible_iterator::FallibleIterator;
use gristmill_dialect::ServerError;
use postgres_protocol::message::backend::ErrorResponseBody;

pub(super) fn read(body: &ErrorResponseBody) -> std::io::Result<ServerError> {
    let mut error = ServerError::default();
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
