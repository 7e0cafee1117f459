//! Puts the exposed objects of a part into another schema than `public`.
//!
//! The files write `public.NAME`. Where the part that creates NAME lies in schema S, `public.NAME` becomes `S.NAME`, in
//! its own files and in those of every other part. Nothing else is replaced.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::manifest::Manifest;
use super::statements;

/// Which exposed name lies in which schema; names that lie in `public` are left out.
#[derive(Debug, Default)]
pub(super) struct Places {
    schema_of: HashMap<String, String>,
}

#[allow(clippy::expect_used)] // A constant pattern.
static EXPOSED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bpublic\.([a-z_][a-z0-9_]*)").expect("a constant pattern"));

impl Places {
    /// From the schema of each part.
    pub(super) fn new<'a>(
        manifest: &Manifest,
        schemas: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut schema_of = HashMap::new();
        for (name, schema) in schemas {
            let Some(part) = manifest.part(name).filter(|_| schema != "public") else {
                continue;
            };
            for file in &part.files {
                for statement in statements::of(&file.text) {
                    let exposed = statement
                        .creates()
                        .filter(|object| object.kind.is_relation() || object.kind.is_routine())
                        .and_then(|object| object.name.strip_prefix("public."));
                    if let Some(name) = exposed {
                        schema_of.insert(name.to_owned(), schema.to_owned());
                    }
                }
            }
        }
        Self { schema_of }
    }

    /// The text with every moved name in its place.
    pub(super) fn put(&self, text: &str) -> String {
        if self.schema_of.is_empty() {
            return text.to_owned();
        }
        EXPOSED
            .replace_all(text, |found: &Captures<'_>| {
                let name = &found[1];
                let schema = self.schema_of.get(name).map_or("public", String::as_str);
                format!("{schema}.{name}")
            })
            .into_owned()
    }
}

/// A schema's name must need no quotes, because the files write it without.
pub(super) fn is_plain(schema: &str) -> bool {
    let mut letters = schema.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !schema.starts_with("pg_")
        && !matches!(
            schema,
            "mill" | "information_schema" | "auth" | "cron" | "net" | "storage"
        )
        && schema.len() < 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate::manifest;

    #[test]
    fn only_names_of_moved_parts_are_replaced() {
        let mut manifest = manifest::of(
            "part api base\nalways api/f.sql\npart exports application\nonce exports/tables.sql\n",
        );
        manifest.parts[1].files[0].text = "create table public.documents (a int);".into();
        let places = Places::new(&manifest, [("api", "public"), ("exports", "ours")]);
        assert_eq!(
            places.put("select public.documents, public.documents_x, public.claim_jobs() from mypublic.documents"),
            "select ours.documents, public.documents_x, public.claim_jobs() from mypublic.documents"
        );
    }

    #[test]
    fn a_schema_has_a_plain_name() {
        assert!(is_plain("ours") && is_plain("app_2"));
        for wrong in ["", "Ours", "2x", "a-b", "pg_x", "mill", "a.b", "auth"] {
            assert!(!is_plain(wrong), "{wrong}");
        }
    }
}
