//! From whatever a document holds to the one shape that templates know. Any JSON object passes: what is absent is
//! left out, what is of another type than expected is read as text where that makes sense.
//!
//! The input is JSON Resume (jsonresume.org), with `sections: [{title, text | items}]` for anything beyond it.

use serde_json::{Value, json};

use crate::contacts::{contacts, place};
use crate::dates;
use crate::options::Options;
use crate::script::{self, Script};
use crate::text::{first, items, joined, lines, paragraphs, text};
use crate::titles::title;

/// A resume.
pub(crate) fn resume(data: &Value, options: &Options) -> Value {
    let basics = &data["basics"];
    let script = script_of(data);
    let name = first(basics, &["name"]).or_else(|| first(data, &["name", "title"]));
    let mut sections = vec![text_section(
        title("summary", script.lang),
        &basics["summary"],
    )];
    for (key, fields) in ENTRIES {
        sections.push(entry_section(
            title(key, script.lang),
            &data[key],
            fields,
            script,
        ));
    }
    sections.push(tag_section(
        title("skills", script.lang),
        &data["skills"],
        "name",
        "keywords",
        "level",
    ));
    sections.push(tag_section(
        title("languages", script.lang),
        &data["languages"],
        "language",
        "",
        "fluency",
    ));
    sections.push(tag_section(
        title("interests", script.lang),
        &data["interests"],
        "name",
        "keywords",
        "",
    ));
    sections.push(entry_section(
        title("references", script.lang),
        &data["references"],
        REFERENCE,
        script,
    ));
    sections.extend(items(&data["sections"]).map(|own| own_section(own, script)));
    json!({
        "title": options.title.clone().or_else(|| name.clone()).unwrap_or_default(),
        "name": name.unwrap_or_default(),
        "label": first(basics, &["label", "headline"]).unwrap_or_default(),
        "contacts": contacts(basics),
        "sections": sections.into_iter().flatten().collect::<Vec<_>>(),
        "lang": script.lang,
        "rtl": script.is_rtl,
    })
}

/// Running text.
pub(crate) fn plain(data: &Value, options: &Options) -> Value {
    let script = script_of(data);
    let heading = first(data, &["title"]).or_else(|| options.title.clone());
    let mut sections: Vec<_> = text_section("", &data["text"]).into_iter().collect();
    sections.extend(items(&data["sections"]).filter_map(|own| own_section(own, script)));
    json!({
        "title": options.title.clone().or_else(|| heading.clone()).unwrap_or_default(),
        "name": heading.unwrap_or_default(),
        "label": first(data, &["author", "subtitle"]).unwrap_or_default(),
        "contacts": [],
        "sections": sections,
        "lang": script.lang,
        "rtl": script.is_rtl,
    })
}

/// Which fields of an entry are its title and what stands below it.
#[derive(Clone, Copy)]
struct Fields {
    title: &'static [&'static str],
    subtitle: &'static [&'static str],
}

const ENTRIES: [(&str, Fields); 7] = [
    (
        "work",
        Fields {
            title: &["position", "title"],
            subtitle: &["name", "company"],
        },
    ),
    (
        "projects",
        Fields {
            title: &["name", "title"],
            subtitle: &["entity", "url"],
        },
    ),
    (
        "education",
        Fields {
            title: &["studyType", "area", "degree"],
            subtitle: &["institution", "school"],
        },
    ),
    (
        "volunteer",
        Fields {
            title: &["position"],
            subtitle: &["organization"],
        },
    ),
    (
        "certificates",
        Fields {
            title: &["name"],
            subtitle: &["issuer"],
        },
    ),
    (
        "awards",
        Fields {
            title: &["title"],
            subtitle: &["awarder"],
        },
    ),
    (
        "publications",
        Fields {
            title: &["name"],
            subtitle: &["publisher"],
        },
    ),
];
const REFERENCE: Fields = Fields {
    title: &["name"],
    subtitle: &["position"],
};

fn entry_section(title: &str, list: &Value, fields: Fields, script: Script) -> Option<Value> {
    let entries: Vec<_> = items(list)
        .filter_map(|item| entry(item, fields, script))
        .collect();
    (!entries.is_empty()).then(|| json!({"title": title, "kind": "entries", "entries": entries}))
}

fn entry(item: &Value, fields: Fields, script: Script) -> Option<Value> {
    if let Some(line) = text(item) {
        return Some(
            json!({"title": line, "subtitle": "", "place": "", "dates": "", "paragraphs": [], "points": []}),
        );
    }
    item.as_object()?;
    let mut heads = vec![joined(item, fields.title), joined(item, fields.subtitle)];
    heads.retain(|head| !head.is_empty());
    let mut heads = heads.into_iter();
    let paragraphs = ["summary", "description", "text", "reference"]
        .iter()
        .flat_map(|key| paragraphs(&item[*key]));
    let points = ["highlights", "points", "courses"]
        .iter()
        .flat_map(|key| lines(&item[*key]));
    let entry = json!({
        "title": heads.next().unwrap_or_default(),
        "subtitle": heads.next().unwrap_or_default(),
        "place": place(&item["location"]),
        "dates": dates::span(item, script.lang),
        "paragraphs": paragraphs.collect::<Vec<_>>(),
        "points": points.collect::<Vec<_>>(),
    });
    let is_empty = |part: &Value| part == "" || part.as_array().is_some_and(Vec::is_empty);
    (!entry.as_object()?.values().all(is_empty)).then_some(entry)
}

fn tag_section(title: &str, list: &Value, name: &str, words: &str, level: &str) -> Option<Value> {
    let tags: Vec<_> = items(list)
        .filter_map(|item| {
            let name = text(item)
                .or_else(|| first(item, &[name]))
                .unwrap_or_default();
            let mut items: Vec<_> = lines(&item[words]).collect();
            items.extend(first(item, &[level]));
            (!name.is_empty() || !items.is_empty()).then(|| json!({"name": name, "items": items}))
        })
        .collect();
    (!tags.is_empty()).then(|| json!({"title": title, "kind": "tags", "tags": tags}))
}

fn text_section(title: &str, content: &Value) -> Option<Value> {
    let paragraphs = paragraphs(content);
    (!paragraphs.is_empty())
        .then(|| json!({"title": title, "kind": "text", "paragraphs": paragraphs}))
}

fn own_section(own: &Value, script: Script) -> Option<Value> {
    let heading = first(own, &["title", "name"]).unwrap_or_default();
    let fields = Fields {
        title: &["title", "name"],
        subtitle: &["subtitle"],
    };
    entry_section(&heading, &own["items"], fields, script)
        .or_else(|| text_section(&heading, &own["text"]))
        .or_else(|| text_section("", &Value::String(text(own)?)))
        .or_else(|| {
            (!heading.is_empty())
                .then(|| json!({"title": heading, "kind": "text", "paragraphs": []}))
        })
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
