//! `gristmill inspect-pdf`: what the objects of a PDF would do. It runs as a child, because the parser is given what strangers made.
//!
//! Every object is looked at, also those in object streams and those that are encrypted without a password, and names are compared
//! as a viewer reads them: `/J#61vaScript` is `/JavaScript`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use hayro_syntax::object::Object;
use hayro_syntax::{LoadPdfError, Pdf};
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

/// The sub-command.
pub(super) const COMMAND: &str = "inspect-pdf";

/// Arguments of `gristmill inspect-pdf`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The PDF
    file: PathBuf,
}

/// What is the matter with a PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// It runs scripts or starts programs.
    Action,
    /// A stream is compressed more than once, which serves nothing but to unpack to a thousand times a thousand.
    Chained,
    /// It opens with a password alone.
    Password,
    /// No viewer would be sure of what it says.
    Damaged,
}

/// Says what it found on standard output.
pub fn run(args: &Args) -> ExitCode {
    // A panic's own words may quote the document, and what is said here is logged.
    std::panic::set_hook(Box::new(|_| {}));
    let said = std::fs::read(&args.file).and_then(|bytes| {
        let said = serde_json::to_vec(&look(bytes))?;
        std::io::stdout().write_all(&said)
    });
    match said {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "gristmill {COMMAND}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn look(bytes: Vec<u8>) -> Found {
    if has_loose_action(&bytes) {
        return Found::Action;
    }
    let pdf = match Pdf::new(bytes) {
        Ok(pdf) => pdf,
        Err(LoadPdfError::Decryption(_)) => return Found::Password,
        Err(_) => return Found::Damaged,
    };
    let mut worst = Found::Nothing;
    for object in pdf.objects() {
        match judge(&object) {
            Found::Nothing => {}
            Found::Action => return Found::Action,
            found => worst = found,
        }
    }
    worst
}

fn judge(object: &Object<'_>) -> Found {
    let acts = match object {
        // The name may be an object of its own, and the action refer to it.
        Object::Name(name) => is_action(name),
        Object::Dict(dict) => names(dict.data()).any(|name| is_action(&name)),
        Object::Array(array) => names(array.data()).any(|name| is_action(&name)),
        Object::Stream(stream) => {
            let filters = stream.filters();
            if filters.windows(2).any(|pair| pair[0] == pair[1]) {
                return Found::Chained;
            }
            names(stream.dict().data()).any(|name| is_action(&name))
        }
        _ => false,
    };
    if acts { Found::Action } else { Found::Nothing }
}

fn is_action(name: &[u8]) -> bool {
    name == b"JavaScript" || name == b"Launch"
}

/// The names in the text of an object, as a viewer reads them. The text is read and not the parsed object, because of a key that
/// stands twice a parser knows one value, and a viewer may take the other.
fn names(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (first, after) = rest.split_first()?;
            rest = match first {
                b'(' => after_string(after),
                b'%' => after_line(after),
                b'/' => {
                    let end = after.iter().position(|byte| !is_regular(*byte));
                    let (name, after) = after.split_at(end.unwrap_or(after.len()));
                    rest = after;
                    return Some(unescape(name));
                }
                _ => after,
            };
        }
    })
}

fn after_string(text: &[u8]) -> &[u8] {
    let mut depth = 1;
    let mut at = 0;
    while depth > 0 && at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.get(at..).unwrap_or_default()
}

fn after_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    &text[end.unwrap_or(text.len())..]
}

fn is_regular(byte: u8) -> bool {
    !matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ') && !b"()<>[]{}/%".contains(&byte)
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let escaped = match (byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => u8::try_from(high << 4 | low).ok(),
            _ => None,
        };
        plain.push(escaped.unwrap_or(*byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    plain
}

/// Also what no table of the file names is looked at: a viewer that finds the table damaged makes one of its own.
fn has_loose_action(bytes: &[u8]) -> bool {
    let action = Regex::new(r"(?-u)/S[\x00\t\n\x0c\r ]*/(JavaScript|Launch)\b");
    // A pattern that is no pattern finds everything.
    action.map_or(true, |action| action.is_match(&unescape(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PDF of these objects, of which the first is the catalog and the second the pages, with a table that is right.
    fn pdf(objects: &[&str]) -> Vec<u8> {
        let mut text = b"%PDF-1.5\n".to_vec();
        let mut table = String::new();
        for (number, object) in (1..).zip(objects) {
            table.push_str(&format!("{:010} 00000 n \n", text.len()));
            text.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
        }
        let (start, size) = (text.len(), objects.len() + 1);
        let end = format!(
            "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
        );
        text.extend(end.bytes());
        text
    }

    const PAGES: &str = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    const PAGE: &str = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>";

    fn opens_with(action: &str) -> Found {
        let catalog = format!("<< /Type /Catalog /Pages 2 0 R /OpenAction {action} >>");
        look(pdf(&[&catalog, PAGES, PAGE]))
    }

    /// The same, with a table that is a stream, and further objects in a stream that hides its text.
    fn packed(catalog: &str, hidden: &str) -> Vec<u8> {
        let mut text = b"%PDF-1.5\n".to_vec();
        let inner = format!("5 0 {hidden}");
        let hex: String = inner.bytes().map(|byte| format!("{byte:02x}")).collect();
        let stream = format!(
            "<< /Type /ObjStm /N 1 /First 4 /Filter /ASCIIHexDecode /Length {} >>\nstream\n{hex}>\nendstream",
            hex.len() + 1
        );
        let mut rows: Vec<[u8; 4]> = vec![[0, 0, 0, 0]];
        for (number, object) in (1..).zip([catalog, PAGES, PAGE, &stream]) {
            let place = u16::try_from(text.len()).unwrap().to_be_bytes();
            rows.push([1, place[0], place[1], 0]);
            text.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
        }
        rows.push([2, 0, 4, 0]);
        let start = text.len();
        let place = u16::try_from(start).unwrap().to_be_bytes();
        rows.push([1, place[0], place[1], 0]);
        let rows = rows.concat();
        let head = format!(
            "6 0 obj\n<< /Type /XRef /Size 7 /W [1 2 1] /Root 1 0 R /Length {} >>\nstream\n",
            rows.len()
        );
        text.extend(head.bytes());
        text.extend(rows);
        text.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
        text
    }

    #[test]
    fn a_pdf_that_does_nothing_passes_whatever_its_strings_say() {
        assert_eq!(
            opens_with("<< /S /URI /URI (https://example.com/JavaScript \\( /Launch) >>"),
            Found::Nothing
        );
        let quiet = packed(
            "<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R >>",
            "<< /S /GoTo /D [3 0 R /Fit] >>",
        );
        assert_eq!(look(quiet), Found::Nothing);
    }

    #[test]
    fn an_action_is_found_whose_name_is_spelled_with_escapes() {
        for name in [
            "/JavaScript",
            "/J#61vaScript",
            "/#4a#61#76#61#53cript",
            "/L#61unch",
        ] {
            assert_eq!(
                opens_with(&format!("<< /S {name} /JS (x) >>")),
                Found::Action,
                "{name}"
            );
        }
    }

    #[test]
    fn an_action_is_found_in_an_object_stream() {
        for action in ["<< /S /JavaScript /JS (x) >>", "<< /#53 /J#61vaScript >>"] {
            let hidden = packed(
                "<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R >>",
                action,
            );
            assert_eq!(look(hidden), Found::Action, "{action}");
        }
    }

    #[test]
    fn an_action_is_found_whose_name_is_an_object_of_its_own_or_stands_second() {
        let catalog = "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S 4 0 R /JS (x) >> >>";
        assert_eq!(
            look(pdf(&[catalog, PAGES, PAGE, "/JavaScript"])),
            Found::Action
        );
        assert_eq!(opens_with("<< /S /URI /S /Launch /F (x) >>"), Found::Action);
        assert_eq!(opens_with("<< /S /Launch /S /URI /F (x) >>"), Found::Action);
    }

    #[test]
    fn an_action_is_found_that_no_table_names() {
        let mut text = pdf(&["<< /Type /Catalog /Pages 2 0 R >>", PAGES, PAGE]);
        text.extend(b"9 0 obj\n<< /#53 /Jav#61Script /JS (x) >>\nendobj\n");
        assert_eq!(look(text), Found::Action);
    }

    #[test]
    fn a_stream_that_is_compressed_twice_is_named_however_it_is_spelled() {
        for filters in [
            "/FlateDecode /FlateDecode",
            "/Fl#61teDecode /FlateDecode",
            "/LZWDecode /LZWDecode",
        ] {
            let stream = format!("<< /Filter [{filters}] /Length 1 >>\nstream\nx\nendstream");
            let text = pdf(&["<< /Type /Catalog /Pages 2 0 R >>", PAGES, PAGE, &stream]);
            assert_eq!(look(text), Found::Chained, "{filters}");
        }
    }

    #[test]
    fn what_is_no_pdf_is_damaged() {
        assert_eq!(look(b"%PDF-1.5\nhello".to_vec()), Found::Damaged);
    }
}
