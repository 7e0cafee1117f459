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

/// What `quote_ident` puts in quotes, of Postgres 15 to 18: every keyword that is not "non-reserved" in the documentation's
/// table of keywords.
const KEYWORDS: &str = "all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case \
    cast char character check coalesce collate collation column concurrently constraint create cross current_catalog \
    current_date current_role current_schema current_time current_timestamp current_user dec decimal default \
    deferrable desc distinct do else end except exists extract false fetch float for foreign freeze from full grant \
    greatest group grouping having ilike in initially inner inout int integer intersect interval into is isnull join \
    json json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize \
    json_table json_value lateral leading least left like limit localtime localtimestamp merge_action national \
    natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay \
    placing position precision primary real references returning right row select session_user setof similar \
    smallint some substring symmetric system_user table tablesample then time timestamp to trailing treat trim true \
    union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat \
    xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable";

/// Schemas of Postgres, Supabase and Gristmill itself.
const SYSTEM: &[&str] = &[
    "auth",
    "cron",
    "extensions",
    "graphql",
    "graphql_public",
    "information_schema",
    "mill",
    "net",
    "pgbouncer",
    "pgsodium",
    "realtime",
    "storage",
    "supabase_functions",
    "supabase_migrations",
    "vault",
];

/// A schema's name must need no quotes, because the files write it without.
pub(super) fn is_plain(schema: &str) -> bool {
    let mut letters = schema.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !schema.starts_with("pg_")
        && !SYSTEM.contains(&schema)
        && !KEYWORDS.split_whitespace().any(|word| word == schema)
        && schema.len() < 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;

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
        assert!(is_plain("public") && is_plain("orders") && is_plain("ordered_sets"));
        for wrong in [
            "",
            "Ours",
            "2x",
            "a-b",
            "pg_x",
            "mill",
            "a.b",
            "auth",
            "order",
            "user",
            "left",
            "values",
            "xmltable",
            "all",
            "realtime",
            "extensions",
            "supabase_migrations",
        ] {
            assert!(!is_plain(wrong), "{wrong}");
        }
    }
}
