//! From whatever a document holds to the one shape that templates know. Any JSON object passes that holds something: what is absent is
//! left out, what no template has a place for is set under its own name ([`crate::generic`]).
//!
//! The input is JSON Resume (jsonresume.org), with `sections: [{title, text | items}]` for anything beyond it.

use serde_json::{Value, json};

use crate::contacts::{contacts, place};
use crate::dates;
use crate::generic::{is_tags, is_texts, left, left_lines, listed, prose, spelled, tags};
use crate::options::Options;
use crate::script::{self, Script};
use crate::text::{IntoSome, first, joined, lines, paragraphs, text};
use crate::titles::title;

/// What a template makes of the document, when there is anything in it.
pub(crate) fn content(data: &Value, options: &Options, is_plain: bool) -> Option<Value> {
    let (heading, content) = match is_plain {
        true => plain(data),
        false => resume(data),
    };
    let script = script_of(data);
    let is_nothing = |part: &Value| part == "" || part.as_array().is_some_and(Vec::is_empty);
    if ["name", "label", "contacts", "sections"]
        .iter()
        .all(|part| is_nothing(&content[*part]))
    {
        return None;
    }
    let mut content = content;
    content["title"] = json!(options.title.clone().or(heading).unwrap_or_default());
    content["lang"] = json!(script.lang);
    content["rtl"] = json!(script.is_rtl);
    Some(content)
}

/// A resume, and what it is called.
fn resume(data: &Value) -> (Option<String>, Value) {
    let basics = &data["basics"];
    let script = script_of(data);
    let own_name = first(basics, &["name"]);
    let name_key = ["name", "title"]
        .into_iter()
        .find(|key| own_name.is_none() && text(&data[*key]).is_some());
    let name = own_name.or_else(|| first(data, &[name_key?]));
    let mut used = vec!["meta", "language", "lang", "sections"];
    used.extend(name_key);
    let mut sections: Vec<Value> = Vec::new();
    if basics.is_object() {
        used.push("basics");
        sections.extend(text_section(
            title("summary", script.lang),
            &basics["summary"],
        ));
    }
    for (key, kind) in SECTIONS {
        used.push(key);
        sections.extend(section(title(key, script.lang), &data[key], kind, script));
    }
    sections.extend(own_sections(&data["sections"], script));
    sections.extend(left_sections(data, &used, script));
    let label = ["label", "headline"]
        .into_iter()
        .find(|key| text(&basics[*key]).is_some());
    let mut contacts = contacts(basics);
    let mut known = vec!["name", "image"];
    known.extend(label);
    known.extend(is_texts(&basics["summary"]).then_some("summary"));
    known.extend(CONTACTS);
    contacts.extend(
        left_lines(basics, &known)
            .into_iter()
            .map(|line| json!({"text": line, "url": null})),
    );
    let content = json!({
        "name": name.clone().unwrap_or_default(),
        "author": name.clone().unwrap_or_default(),
        "label": label.and_then(|key| first(basics, &[key])).unwrap_or_default(),
        "contacts": contacts,
        "sections": sections,
    });
    (name, content)
}

/// Running text, and what it is called.
fn plain(data: &Value) -> (Option<String>, Value) {
    let script = script_of(data);
    let heading = first(data, &["title"]);
    let author = first(data, &["author"]);
    let label = if author.is_some() {
        "author"
    } else {
        "subtitle"
    };
    let mut sections: Vec<_> = text_section("", &data["text"]).into_iter().collect();
    sections.extend(own_sections(&data["sections"], script));
    let mut used = vec!["meta", "language", "lang", "sections", label];
    used.extend(heading.is_some().then_some("title"));
    used.extend(is_texts(&data["text"]).then_some("text"));
    sections.extend(left_sections(data, &used, script));
    let content = json!({
        "name": heading.clone().unwrap_or_default(),
        "author": author.unwrap_or_default(),
        "label": first(data, &[label]).unwrap_or_default(),
        "contacts": [],
        "sections": sections,
    });
    (heading, content)
}

fn own_sections(sections: &Value, script: Script) -> Vec<Value> {
    let known = ["items", "text"];
    let sections = listed(sections, &known);
    sections
        .iter()
        .flat_map(|own| own_section(own, script))
        .collect()
}

// Each under its name.
fn left_sections(data: &Value, used: &[&str], script: Script) -> Vec<Value> {
    let left = left(data, used).into_iter();
    left.filter_map(|(label, value)| any_section(&label, value, script))
        .collect()
}

fn any_section(title: &str, value: &Value, script: Script) -> Option<Value> {
    if is_texts(value) {
        return text_section(title, value);
    }
    if is_tags(value) {
        let tags = tags(value);
        return (!tags.is_empty()).then(|| json!({"title": title, "kind": "tags", "tags": tags}));
    }
    entry_section(title, value, ANY, script)
}

/// What a section of a resume holds.
#[derive(Clone, Copy)]
enum Kind {
    Entries(Fields),
    /// The fields with the name, the words, and how well.
    Tags(&'static str, &'static str, &'static str),
}

fn section(title: &str, value: &Value, kind: Kind, script: Script) -> Option<Value> {
    match kind {
        Kind::Entries(fields) => entry_section(title, value, fields, script),
        Kind::Tags(name, words, level) => tag_section(title, value, name, words, level),
    }
}

/// Which fields of an entry are its title and what stands below it.
#[derive(Clone, Copy)]
struct Fields {
    title: &'static [&'static str],
    subtitle: &'static [&'static str],
}

/// Other people's words for the same.
const ANY: Fields = Fields {
    title: &["title", "name", "position", "role"],
    subtitle: &[
        "subtitle",
        "organization",
        "company",
        "institution",
        "issuer",
        "publisher",
    ],
};

/// What `contacts` sets of them.
const CONTACTS: [&str; 6] = ["email", "phone", "location", "url", "website", "profiles"];

const SECTIONS: [(&str, Kind); 11] = [
    (
        "work",
        Kind::Entries(Fields {
            title: &["position", "title"],
            subtitle: &["name", "company"],
        }),
    ),
    (
        "projects",
        Kind::Entries(Fields {
            title: &["name", "title"],
            subtitle: &["entity", "url"],
        }),
    ),
    (
        "education",
        Kind::Entries(Fields {
            title: &["studyType", "area", "degree"],
            subtitle: &["institution", "school"],
        }),
    ),
    (
        "volunteer",
        Kind::Entries(Fields {
            title: &["position"],
            subtitle: &["organization"],
        }),
    ),
    (
        "certificates",
        Kind::Entries(Fields {
            title: &["name"],
            subtitle: &["issuer"],
        }),
    ),
    (
        "awards",
        Kind::Entries(Fields {
            title: &["title"],
            subtitle: &["awarder"],
        }),
    ),
    (
        "publications",
        Kind::Entries(Fields {
            title: &["name"],
            subtitle: &["publisher"],
        }),
    ),
    ("skills", Kind::Tags("name", "keywords", "level")),
    ("languages", Kind::Tags("language", "", "fluency")),
    ("interests", Kind::Tags("name", "keywords", "")),
    (
        "references",
        Kind::Entries(Fields {
            title: &["name"],
            subtitle: &["position"],
        }),
    ),
];

/// Where the text of an entry stands, and its points.
const PROSE: [&str; 4] = ["summary", "description", "text", "reference"];
const POINTS: [&str; 3] = ["highlights", "points", "courses"];

fn entry_section(title: &str, list: &Value, fields: Fields, script: Script) -> Option<Value> {
    let known = [fields.title, fields.subtitle, &PROSE, &POINTS, &dates::KEYS].concat();
    let entries: Vec<_> = listed(list, &known)
        .iter()
        .filter_map(|item| entry(item, fields, script))
        .collect();
    (!entries.is_empty()).then(|| json!({"title": title, "kind": "entries", "entries": entries}))
}

fn entry(item: &Value, fields: Fields, script: Script) -> Option<Value> {
    if !item.is_object() {
        let line = spelled(item).into_some()?;
        return Some(
            json!({"title": line, "subtitle": "", "place": "", "dates": "", "paragraphs": [], "points": []}),
        );
    }
    let mut used: Vec<&str> = Vec::new();
    let mut head = |keys: &'static [&'static str]| {
        used.extend(keys.iter().filter(|key| text(&item[**key]).is_some()));
        joined(item, keys)
    };
    let mut heads = vec![head(fields.title), head(fields.subtitle)];
    // A map's entries are named by their title, whatever the section calls the title of its own.
    if heads[0].is_empty() && !fields.title.contains(&"title") {
        heads[0] = head(&["title"]);
    }
    heads.retain(|head| !head.is_empty());
    let mut heads = heads.into_iter();
    let of_texts = |key: &&&str| is_texts(&item[**key]);
    let prose: Vec<_> = PROSE.iter().filter(of_texts).collect();
    let points: Vec<_> = POINTS.iter().filter(of_texts).collect();
    used.extend(prose.iter().chain(&points).map(|key| **key));
    let (dates, dated) = dates::span(item, script.lang);
    used.extend(dated);
    let place = place(&item["location"]);
    used.push("location");
    let mut paragraphs: Vec<_> = prose
        .iter()
        .flat_map(|key| paragraphs(&item[**key]))
        .collect();
    paragraphs.extend(left_lines(item, &used));
    let entry = json!({
        "title": heads.next().unwrap_or_default(),
        "subtitle": heads.next().unwrap_or_default(),
        "place": place,
        "dates": dates,
        "paragraphs": paragraphs,
        "points": points.iter().flat_map(|key| lines(&item[**key])).collect::<Vec<_>>(),
    });
    let is_empty = |part: &Value| part == "" || part.as_array().is_some_and(Vec::is_empty);
    (!entry.as_object()?.values().all(is_empty)).then_some(entry)
}

fn tag_section(title: &str, list: &Value, name: &str, words: &str, level: &str) -> Option<Value> {
    let tags: Vec<_> = match list {
        Value::Object(fields) if !fields.contains_key(name) => tags(list),
        _ => listed(list, &[name])
            .iter()
            .filter_map(|item| tag(item, name, words, level))
            .collect(),
    };
    (!tags.is_empty()).then(|| json!({"title": title, "kind": "tags", "tags": tags}))
}

fn tag(item: &Value, name: &str, words: &str, level: &str) -> Option<Value> {
    if !item.is_object() {
        return spelled(item)
            .into_some()
            .map(|name| json!({"name": name, "items": []}));
    }
    let mut used = Vec::new();
    let title = first(item, &[name]);
    used.extend(title.is_some().then_some(name));
    let mut items = Vec::new();
    if is_texts(&item[words]) {
        items.extend(lines(&item[words]));
        used.push(words);
    }
    if let Some(level_text) = first(item, &[level]) {
        items.push(level_text);
        used.push(level);
    }
    items.extend(left_lines(item, &used));
    let name = title.unwrap_or_default();
    (!name.is_empty() || !items.is_empty()).then(|| json!({"name": name, "items": items}))
}

fn text_section(title: &str, content: &Value) -> Option<Value> {
    let paragraphs = prose(content);
    (!paragraphs.is_empty())
        .then(|| json!({"title": title, "kind": "text", "paragraphs": paragraphs}))
}

// Its text, then its items, then whatever else it has.
fn own_section(own: &Value, script: Script) -> Vec<Value> {
    if !own.is_object() {
        return text_section("", own).into_iter().collect();
    }
    let key = ["title", "name"]
        .into_iter()
        .find(|key| text(&own[*key]).is_some());
    let heading = key.and_then(|key| first(own, &[key])).unwrap_or_default();
    let fields = Fields {
        title: &["title", "name"],
        subtitle: &["subtitle"],
    };
    let mut used = vec!["text", "items"];
    used.extend(key);
    let mut sections: Vec<_> = text_section("", &own["text"]).into_iter().collect();
    sections.extend(entry_section("", &own["items"], fields, script));
    sections.extend(left_sections(own, &used, script));
    if heading.is_empty() {
        return sections;
    }
    match sections.first_mut() {
        Some(first) if first["title"] == "" => first["title"] = json!(heading),
        _ => sections.insert(
            0,
            json!({"title": heading, "kind": "text", "paragraphs": []}),
        ),
    }
    sections
}

pub(crate) fn script_of(data: &Value) -> Script {
    let tag =
        first(&data["meta"], &["language", "lang"]).or_else(|| first(data, &["language", "lang"]));
    let mut sample = String::new();
    collect(data, &mut sample);
    script::of(tag.as_deref(), &sample)
}

fn collect(value: &Value, into: &mut String) {
    if into.len() > 4_000 {
        return;
    }
    match value {
        Value::String(text) => into.push_str(text),
        Value::Array(list) => list.iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
