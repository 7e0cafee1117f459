//! Reads text piece by piece, and says where and why it could not.

use crate::refusal::Refusal;

pub(super) struct Scanner<'a> {
    /// What is being parsed, for the message.
    what: &'a str,
    text: &'a str,
    position: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(what: &'a str, text: &'a str) -> Self {
        Self {
            what,
            text,
            position: 0,
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    /// Takes a character if it is the next one.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.position += wanted.len_utf8();
        }
        found
    }

    /// Takes a text if it comes next.
    pub(super) fn take_text(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.position += wanted.len();
        }
        found
    }

    /// Takes characters for as long as they fit.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    pub(super) fn take_rest(&mut self) -> &'a str {
        let rest = self.rest();
        self.position = self.text.len();
        rest
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t');
    }

    pub(super) fn expect(&mut self, wanted: char) -> Result<(), Refusal> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(self.unexpected(&format!("\"{wanted}\"")))
    }

    pub(super) fn end(&self, expecting: &str) -> Result<(), Refusal> {
        if self.is_done() {
            return Ok(());
        }
        Err(self.unexpected(expecting))
    }

    /// A quoted text, if one comes next: a backslash takes the next character as it is.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, Refusal> {
        if !self.take('"') {
            return Ok(None);
        }
        let mut value = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.position += at + 1;
                    return Ok(Some(value));
                }
                '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
                _ => value.push(c),
            }
        }
        self.position = self.text.len();
        Err(self.unexpected("\"\\\"\""))
    }

    /// The name of a column: quoted, or letters, digits, `_`, `$`, inner spaces and dashes.
    pub(super) fn name(&mut self) -> Result<String, Refusal> {
        self.skip_spaces();
        if let Some(name) = self.quoted()? {
            self.skip_spaces();
            return Ok(name);
        }
        let rest = self.rest();
        let mut length = 0;
        for (at, c) in rest.char_indices() {
            let is_arrow = rest[at..].starts_with("->");
            if is_arrow || !(c.is_alphanumeric() || matches!(c, '_' | '$' | ' ' | '-')) {
                break;
            }
            length = at + c.len_utf8();
        }
        let name = rest[..length].trim_end();
        if name.is_empty() {
            return Err(self.unexpected("field name (* or [a..z0..9_$])"));
        }
        self.position += length;
        Ok(name.to_owned())
    }

    /// The refusal that names this place.
    pub(super) fn unexpected(&self, expecting: &str) -> Refusal {
        let found = match self.peek() {
            Some(c) => format!("unexpected \"{c}\""),
            None => "unexpected end of input".to_owned(),
        };
        self.wrong(&format!("{found} expecting {expecting}"))
    }

    pub(super) fn wrong(&self, details: &str) -> Refusal {
        let column = self.text[..self.position].chars().count() + 1;
        Refusal::Syntax {
            message: format!(
                "\"failed to parse {} ({})\" (line 1, column {column})",
                self.what, self.text
            ),
            details: details.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_an_arrow_but_not_at_a_dash() {
        let mut scanner = Scanner::new("x", "a-b c->d");
        assert_eq!(scanner.name().unwrap(), "a-b c");
        assert_eq!(scanner.rest(), "->d");
    }

    #[test]
    fn quoted_text_takes_escapes_and_must_end() {
        let mut scanner = Scanner::new("x", r#""a\"b\\c"d"#);
        assert_eq!(scanner.quoted().unwrap().unwrap(), r#"a"b\c"#);
        assert_eq!(scanner.rest(), "d");
        assert!(Scanner::new("x", "\"open").quoted().is_err());
        assert!(Scanner::new("x", "\"open\\").quoted().is_err());
    }

    #[test]
    fn the_refusal_names_place_and_expectation() {
        let mut scanner = Scanner::new("filter", "é!");
        scanner.name().unwrap();
        let Refusal::Syntax { message, details } = scanner.unexpected("\".\"") else {
            panic!("another refusal");
        };
        assert_eq!(
            message,
            "\"failed to parse filter (é!)\" (line 1, column 2)"
        );
        assert_eq!(details, "unexpected \"!\" expecting \".\"");
    }
}
