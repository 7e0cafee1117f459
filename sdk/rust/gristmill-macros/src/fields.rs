//! The names that serde gives the fields of a payload, for `task!`, which knows only those of Rust.

use syn::{Attribute, Data, DeriveInput, Fields, LitStr, meta::ParseNestedMeta, token};

/// Each field of a struct, and its name in JSON: empty where serde flattens it. A field that serde skips is left out.
pub(crate) fn names(input: &DeriveInput) -> Vec<(String, String)> {
    let Data::Struct(data) = &input.data else {
        return Vec::new();
    };
    let Fields::Named(fields) = &data.fields else {
        return Vec::new();
    };
    let container = Serde::of(&input.attrs);
    let mut names = Vec::new();
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let name = ident.to_string().trim_start_matches("r#").to_owned();
        let serde = Serde::of(&field.attrs);
        if serde.is_skipped {
            continue;
        }
        let json = match (serde.is_flat, serde.rename) {
            (true, _) => String::new(),
            (false, Some(rename)) => rename,
            (false, None) => cased(&name, container.rename_all.as_deref()),
        };
        names.push((name, json));
    }
    names
}

#[derive(Default)]
struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    is_flat: bool,
    is_skipped: bool,
}

impl Serde {
    fn of(attributes: &[Attribute]) -> Self {
        let mut found = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("serde") {
                // serde itself says what is wrong with its attributes.
                let _ = attribute.parse_nested_meta(|meta| found.read(&meta));
            }
        }
        found
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("rename") {
            self.rename = deserialized(meta)?.or(self.rename.take());
        } else if meta.path.is_ident("rename_all") {
            self.rename_all = deserialized(meta)?.or(self.rename_all.take());
        } else if meta.path.is_ident("flatten") {
            self.is_flat = true;
        } else if meta.path.is_ident("skip") || meta.path.is_ident("skip_deserializing") {
            self.is_skipped = true;
        } else if meta.input.peek(token::Eq) {
            meta.value()?.parse::<syn::Expr>()?;
        } else if meta.input.peek(token::Paren) {
            meta.parse_nested_meta(|inner| {
                if inner.input.peek(token::Eq) {
                    inner.value()?.parse::<syn::Expr>()?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The name by which workers read: `rename = "a"` or `rename(deserialize = "a")`.
fn deserialized(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    if meta.input.peek(token::Eq) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    let mut name = None;
    meta.parse_nested_meta(|inner| {
        let text: LitStr = inner.value()?.parse()?;
        if inner.path.is_ident("deserialize") {
            name = Some(text.value());
        }
        Ok(())
    })?;
    Ok(name)
}

/// A name in snake case by one of serde's rules.
fn cased(name: &str, rule: Option<&str>) -> String {
    let pascal = || {
        let words = name.split('_').map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        });
        words.collect::<String>()
    };
    match rule {
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => name.to_ascii_uppercase(),
        Some("PascalCase") => pascal(),
        Some("camelCase") => {
            let pascal = pascal();
            let mut letters = pascal.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
        Some("kebab-case") => name.replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => name.to_ascii_uppercase().replace('_', "-"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_the_name_by_which_serde_reads_it() {
        let input: DeriveInput = syn::parse_quote! {
            #[serde(rename_all = "camelCase", deny_unknown_fields, crate = "serde")]
            struct Payload {
                first_one: u8,
                #[serde(default = "one", rename = "second")]
                other: u8,
                #[serde(rename(serialize = "out", deserialize = "in"), alias = "x")]
                both: u8,
                #[serde(flatten)]
                more: More,
                #[serde(skip)]
                cached: u8,
                r#type: u8,
            }
        };
        let names = names(&input);
        let names: Vec<_> = names
            .iter()
            .map(|(name, json)| (name.as_str(), json.as_str()))
            .collect();
        let wanted = [
            ("first_one", "firstOne"),
            ("other", "second"),
            ("both", "in"),
            ("more", ""),
            ("type", "type"),
        ];
        assert_eq!(names, wanted);
    }

    #[test]
    fn every_rule_of_serde_for_names_is_known() {
        let rules = [
            ("lowercase", "a_field"),
            ("UPPERCASE", "A_FIELD"),
            ("PascalCase", "AField"),
            ("camelCase", "aField"),
            ("snake_case", "a_field"),
            ("SCREAMING_SNAKE_CASE", "A_FIELD"),
            ("kebab-case", "a-field"),
            ("SCREAMING-KEBAB-CASE", "A-FIELD"),
        ];
        for (rule, wanted) in rules {
            assert_eq!(cased("a_field", Some(rule)), wanted);
        }
    }
}
