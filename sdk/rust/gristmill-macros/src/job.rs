//! `#[derive(Job)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprArray, Fields, Lit, LitBool, LitInt, LitStr,
    Result, Token,
};

use crate::{fields, period};

/// The longest period of a unique job: a year, as the engine has it.
const LONGEST: u64 = 31_536_000;

#[derive(Default)]
struct Options {
    kind: Option<LitStr>,
    queue: Option<LitStr>,
    description: Option<LitStr>,
    max_attempts: Option<LitInt>,
    open_to_users: Option<LitBool>,
    unique: Option<Unique>,
}

struct Unique {
    by: Vec<LitStr>,
    within_seconds: u64,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut options = Options::default();
    for attribute in attributes(input, "job") {
        read(attribute, &mut options)?;
    }
    let name = &input.ident;
    let kind = options.kind.as_ref().ok_or_else(|| {
        Error::new(
            name.span(),
            "a job needs a kind: #[job(kind = \"send_email\")]",
        )
    })?;
    if !(1..=200).contains(&kind.value().chars().count()) {
        return Err(Error::new(kind.span(), "a kind has 1 to 200 characters"));
    }
    if let Some(unique) = &options.unique {
        check_fields(input, &unique.by)?;
    }
    let optional = |value: &Option<LitStr>| match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    };
    let (queue, description) = (optional(&options.queue), optional(&options.description));
    let max_attempts = match &options.max_attempts {
        Some(most) => quote!(::core::option::Option::Some(#most)),
        None => quote!(::core::option::Option::None),
    };
    let open_to_users = match &options.open_to_users {
        Some(open) => quote!(::core::option::Option::Some(#open)),
        None => quote!(::core::option::Option::None),
    };
    let unique = match &options.unique {
        Some(Unique { by, within_seconds }) => quote! {
            ::core::option::Option::Some(::gristmill::Unique { by: &[#(#by),*], within_seconds: #within_seconds })
        },
        None => quote!(::core::option::Option::None),
    };
    let (fields, names): (Vec<_>, Vec<_>) = fields::names(input).into_iter().unzip();
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::gristmill::Job for #name #arguments #bounds {
            const KIND: &'static str = #kind;
            const OPTIONS: ::gristmill::KindOptions = ::gristmill::KindOptions {
                queue: #queue,
                description: #description,
                max_attempts: #max_attempts,
                open_to_users: #open_to_users,
                unique: #unique,
            };
            const FIELDS: &'static [(&'static str, &'static str)] = &[#((#fields, #names)),*];
        }
    })
}

fn attributes<'a>(input: &'a DeriveInput, name: &'a str) -> impl Iterator<Item = &'a Attribute> {
    input
        .attrs
        .iter()
        .filter(move |attribute| attribute.path().is_ident(name))
}

fn read(attribute: &Attribute, options: &mut Options) -> Result<()> {
    attribute.parse_nested_meta(|meta| {
        if meta.path.is_ident("kind") {
            options.kind = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("queue") {
            options.queue = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("description") {
            options.description = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("open_to_users") {
            options.open_to_users = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("max_attempts") {
            let most: LitInt = meta.value()?.parse()?;
            if !(1..=1000).contains(&most.base10_parse::<u32>()?) {
                return Err(Error::new(most.span(), "max_attempts is 1 to 1000"));
            }
            options.max_attempts = Some(most);
        } else if meta.path.is_ident("unique") {
            let (mut by, mut within) = (Vec::new(), None);
            meta.parse_nested_meta(|inner| {
                if inner.path.is_ident("by") {
                    by = texts(&inner.value()?.parse()?)?;
                } else if inner.path.is_ident("within") {
                    let text: LitStr = inner.value()?.parse()?;
                    let period = period::seconds(&text.value());
                    let period = period.filter(|seconds| (1..=LONGEST).contains(seconds));
                    within = Some(period.ok_or_else(|| {
                        let said = "write a period of at most a year as 30s, 15m, 1h or 7d";
                        Error::new(text.span(), said)
                    })?);
                } else {
                    return Err(inner.error("unique has `by` and `within`"));
                }
                Ok(())
            })?;
            let within_seconds =
                within.ok_or_else(|| meta.error("unique needs a period: within = \"1h\""))?;
            options.unique = Some(Unique { by, within_seconds });
        } else {
            return Err(meta.error(
                "a job has `kind`, `queue`, `description`, `max_attempts`, `open_to_users` and `unique`",
            ));
        }
        Ok(())
    })
}

fn texts(array: &ExprArray) -> Result<Vec<LitStr>> {
    let texts = array.elems.iter().map(|element| match element {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Ok(text.clone()),
            other => Err(Error::new(other.span(), "a field's name is a string")),
        },
        other => Err(Error::new(other.span(), "a field's name is a string")),
    });
    texts.collect()
}

/// `by` names fields. serde may rename them, and then only serde knows their names.
fn check_fields(input: &DeriveInput, by: &[LitStr]) -> Result<()> {
    let Data::Struct(data) = &input.data else {
        return Ok(());
    };
    let Fields::Named(fields) = &data.fields else {
        return Ok(());
    };
    let has_serde = |attributes: &[Attribute]| {
        attributes
            .iter()
            .any(|attribute| attribute.path().is_ident("serde"))
    };
    if has_serde(&input.attrs) || fields.named.iter().any(|field| has_serde(&field.attrs)) {
        return Ok(());
    }
    let names: Vec<String> = names_of(&fields.named);
    for text in by {
        let value = text.value();
        let first = value.split('.').next().unwrap_or_default();
        if !names.iter().any(|name| name == first) {
            let said = format!("there is no field `{first}`; fields: {}", names.join(", "));
            return Err(Error::new(text.span(), said));
        }
    }
    Ok(())
}

fn names_of(fields: &Punctuated<syn::Field, Token![,]>) -> Vec<String> {
    let names = fields.iter().filter_map(|field| field.ident.as_ref());
    let names = names.map(|name| name.to_string());
    names
        .map(|name| name.trim_start_matches("r#").to_owned())
        .collect()
}
