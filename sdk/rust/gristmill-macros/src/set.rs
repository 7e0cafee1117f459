//! `#[derive(JobSet)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Result, Type};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "a set of jobs is an enum with one variant per job",
        ));
    };
    let mut jobs: Vec<&Type> = Vec::new();
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                jobs.extend(fields.unnamed.iter().map(|field| &field.ty));
            }
            _ => {
                return Err(Error::new(
                    variant.ident.span(),
                    "a variant has one field: a type that is a job",
                ));
            }
        }
    }
    let name = &input.ident;
    let (variants, index): (Vec<_>, Vec<_>) = data
        .variants
        .iter()
        .enumerate()
        .map(|(at, variant)| (&variant.ident, format_ident!("At{}", at)))
        .unzip();
    // Each job is found at a place of its own in the list of handlers; the compiler finds out which.
    Ok(quote! {
        #[automatically_derived]
        impl #name {
            #[doc(hidden)]
            pub fn __all_are_handled<List, #(#index),*>(_: &List)
            where
                List: #(::gristmill::HandlerOf<#jobs, #index> +)*
            {
            }

            /// The kinds of this set.
            pub const KINDS: &'static [&'static str] = &[#(<#jobs as ::gristmill::Job>::KIND),*];

            /// The kind of this job.
            pub fn kind(&self) -> &'static str {
                match self {
                    #(Self::#variants(_) => <#jobs as ::gristmill::Job>::KIND,)*
                }
            }
        }
    })
}
