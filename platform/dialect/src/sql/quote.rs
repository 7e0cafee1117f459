//! The one place that turns text into SQL.

/// A name as a quoted identifier. Postgres has no escape inside but the doubled quote; a NUL cannot
/// be part of any name, and is dropped so that it cannot end the text early.
pub fn identifier(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('"');
    for c in name.chars().filter(|c| *c != '\0') {
        if c == '"' {
            quoted.push('"');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// `schema.name`, both quoted.
pub fn qualified(schema: &str, name: &str) -> String {
    format!("{}.{}", identifier(schema), identifier(name))
}

/// Text as a literal, for the few places that take no parameter. A backslash switches to the form
/// in which its meaning does not depend on `standard_conforming_strings`.
pub fn literal(text: &str) -> String {
    let escaped = text.replace('\0', "").replace('\'', "''");
    if escaped.contains('\\') {
        format!(" E'{}'", escaped.replace('\\', "\\\\"))
    } else {
        format!("'{escaped}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_cannot_be_broken_out_of() {
        assert_eq!(identifier("a"), "\"a\"");
        assert_eq!(
            identifier("a\"; drop table t; --"),
            "\"a\"\"; drop table t; --\""
        );
        assert_eq!(identifier("a\0b"), "\"ab\"");
        assert_eq!(identifier("a\\\""), "\"a\\\"\"\"");
        assert_eq!(qualified("a.b", "c"), "\"a.b\".\"c\"");
    }

    #[test]
    fn literals_cannot_be_broken_out_of() {
        assert_eq!(literal("it's"), "'it''s'");
        assert_eq!(
            literal("\\'; drop table t; --"),
            " E'\\\\''; drop table t; --'"
        );
        assert_eq!(literal("a\0'"), "'a'''");
    }

    #[test]
    fn quoting_is_reversible_for_random_text() {
        // A small generator, so that the test needs no dependency and its cases never change.
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let alphabet = ['a', '"', '\'', '\\', ';', ' ', 'é', '$', '\n', 'E'];
        for _ in 0..10_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push(alphabet[(state % 10) as usize]);
            }
            let name = identifier(&text);
            assert_eq!(name[1..name.len() - 1].replace("\"\"", "\""), text);
            let quoted = literal(&text);
            let back = match quoted.strip_prefix(" E'") {
                Some(escaped) => escaped[..escaped.len() - 1]
                    .replace("''", "'")
                    .replace("\\\\", "\\"),
                None => quoted[1..quoted.len() - 1].replace("''", "'"),
            };
            assert_eq!(back, text);
        }
    }
}
