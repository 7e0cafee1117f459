//! What type a file has, by its first bytes: at the upload, and again when the worker has read what was really stored.

/// As many first bytes as are looked at.
pub const SNIFFED: usize = 4096;

/// The type of a file that is read here, or none.
pub fn sniff(head: &[u8]) -> Option<&'static str> {
    let head = &head[..head.len().min(SNIFFED)];
    match infer::get(head) {
        Some(kind) => match kind.mime_type() {
            "application/pdf" => Some("application/pdf"),
            "image/png" => Some("image/png"),
            "image/jpeg" => Some("image/jpeg"),
            "image/tiff" => Some("image/tiff"),
            "image/webp" => Some("image/webp"),
            "image/heif" | "image/heic" => Some("image/heic"),
            _ => None,
        },
        None => is_text(head).then_some("text/plain"),
    }
}

// Text is what has no control characters and is no markup: a browser must never take it for a page.
fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The head may end within a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let text = text.trim_start_matches('\u{feff}');
    let begins = text.trim_start();
    !begins.is_empty()
        && !begins.starts_with('<')
        && !begins.starts_with("%!")
        && !text
            .chars()
            .any(|letter| letter.is_control() && !"\n\r\t\u{c}".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_at_the_end_of_the_head_is_still_text() {
        assert!(is_text(&"aé".as_bytes()[..2]));
        assert!(!is_text(b"a\xffb"));
    }
}
