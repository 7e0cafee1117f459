//! From a chapter, or a book of them, to the shape that the template knows.

use serde_json::{Value, json};

use crate::options::Options;
use crate::resume::script_of;
use crate::text::{first, items, paragraphs, text};

/// One chapter or several.
pub(crate) fn chapters(data: &Value, options: &Options) -> Value {
    let script = script_of(data);
    let heading = first(data, &["title"])
        .or_else(|| options.title.clone())
        .unwrap_or_default();
    let chapters: Vec<Value> = match data["chapters"].is_array() {
        true => items(&data["chapters"]).map(chapter).collect(),
        false => vec![chapter(data)],
    };
    json!({
        "title": options.title.as_ref().unwrap_or(&heading),
        "name": heading,
        "label": first(data, &["author"]).unwrap_or_default(),
        "contacts": [],
        "is_book": data["chapters"].is_array(),
        "chapters": chapters,
        "lang": script.lang,
        "rtl": script.is_rtl,
    })
}

fn chapter(data: &Value) -> Value {
    let sections: Vec<Value> = items(&data["sections"]).map(section).collect();
    json!({ "title": first(data, &["title"]).unwrap_or_default(), "sections": sections })
}

fn section(data: &Value) -> Value {
    let head: Vec<String> = items(&data["table"]["head"]).map(cell).collect();
    // A row of another length would not be one of this table.
    let rows = items(&data["table"]["rows"]).map(|row| items(row).map(cell).collect::<Vec<_>>());
    let rows: Vec<Vec<String>> = rows.filter(|row| row.len() == head.len()).collect();
    json!({
        "title": first(data, &["title"]).unwrap_or_default(),
        "paragraphs": paragraphs(&data["text"]),
        "head": head,
        "rows": rows,
    })
}

fn cell(value: &Value) -> String {
    text(value).unwrap_or_default()
}
