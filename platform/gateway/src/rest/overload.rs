//! Which function a name and its arguments mean.

use super::arguments::Arguments;
use super::media::ContentType;
use super::request::ApiRequest;
use gristmill_dialect::Verb;
use gristmill_dialect::catalog::{Argument, Function};
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::call::Input;

/// The function to call, and what with.
pub(super) fn choose<'a>(
    overloads: &'a [Function],
    request: &ApiRequest,
    name: &str,
    arguments: Arguments,
) -> Result<(&'a Function, Input), Refusal> {
    if let Some(names) = &arguments.names {
        let fitting: Vec<&Function> = overloads
            .iter()
            .filter(|function| fits(function, names))
            .collect();
        match fitting[..] {
            [] => {}
            [function] => {
                let given = |argument: &&Argument| names.contains(&argument.name);
                let given = function.arguments.iter().filter(given).cloned().collect();
                let object = arguments.payload;
                return Ok((function, Input::Named { object, given }));
            }
            _ => return Err(ambiguous(&request.schema, name, &fitting)),
        }
    }
    let whole = overloads.iter().find_map(|function| {
        let sql_type = takes_whole(function, request)?;
        Some((function, sql_type))
    });
    match whole {
        Some((function, sql_type)) => {
            let body = arguments.payload;
            Ok((function, Input::Whole { body, sql_type }))
        }
        None => {
            let names = arguments.names.unwrap_or_default();
            Err(not_found(request, name, &names))
        }
    }
}

/// Every name is an argument, and every required argument is named.
fn fits(function: &Function, names: &[String]) -> bool {
    let known = |name: &String| {
        let mut arguments = function.arguments.iter();
        arguments.any(|argument| !argument.name.is_empty() && argument.name == *name)
    };
    let satisfied = |argument: &Argument| !argument.required || names.contains(&argument.name);
    names.iter().all(known) && function.arguments.iter().all(satisfied)
}

/// The type of the single unnamed argument, if the body's kind can be it.
fn takes_whole(function: &Function, request: &ApiRequest) -> Option<String> {
    let [only] = &function.arguments[..] else {
        return None;
    };
    let takes: &[&str] = match request.content_type {
        _ if request.verb != Verb::Post => &[],
        ContentType::Json => &["json", "jsonb"],
        ContentType::Text => &["text"],
        ContentType::Xml => &["xml"],
        ContentType::Binary => &["bytea"],
        _ => &[],
    };
    let fits = only.name.is_empty() && takes.contains(&only.sql_type.as_str());
    fits.then(|| only.sql_type.clone())
}

fn ambiguous(schema: &str, name: &str, fitting: &[&Function]) -> Refusal {
    let signature = |function: &&Function| {
        let arguments = function.arguments.iter();
        let arguments: Vec<String> = arguments
            .map(|argument| format!("{} => {}", argument.name, argument.sql_type))
            .collect();
        format!("{schema}.{name}({})", arguments.join(", "))
    };
    let signatures: Vec<String> = fitting.iter().map(signature).collect();
    Refusal::AmbiguousFunction(signatures.join(", "))
}

pub(super) fn not_found(request: &ApiRequest, name: &str, names: &[String]) -> Refusal {
    let function = format!("{}.{name}", request.schema);
    let list = names.join(", ");
    let plural = if names.len() > 1 { "s" } else { "" };
    let searched_names = match names {
        [] => " without parameters".to_owned(),
        _ => format!(" with parameter{plural} {list}"),
    };
    let posted = request.verb == Verb::Post;
    let unnamed = |kind: &str| format!(" with a single unnamed {kind} parameter");
    let (arguments, searched) = match (&request.content_type, posted) {
        (ContentType::Text, true) => (String::new(), unnamed("text")),
        (ContentType::Xml, true) => (String::new(), unnamed("xml")),
        (ContentType::Binary, true) => (String::new(), unnamed("bytea")),
        (content_type, _) => {
            let arguments = match names {
                [] => " without parameters".to_owned(),
                _ => format!("({list})"),
            };
            let or_json = match content_type {
                ContentType::Json if posted => " or with a single unnamed json/jsonb parameter",
                _ => "",
            };
            (arguments, format!("{searched_names}{or_json}"))
        }
    };
    Refusal::NoFunction {
        details: format!(
            "Searched for the function {function}{searched}, but no matches were found in the \
             schema cache."
        ),
        function,
        arguments,
        // PostgREST guesses at a similar name here; a name that the caller did not know is
        // nothing we volunteer.
        hint: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_dialect::catalog::{Returns, TransactionSettings};

    fn function(arguments: &[(&str, bool)]) -> Function {
        Function {
            arguments: arguments
                .iter()
                .map(|(name, required)| Argument {
                    name: (*name).to_owned(),
                    sql_type: "integer".into(),
                    required: *required,
                    variadic: false,
                })
                .collect(),
            returns: Returns::Scalar,
            returns_set: false,
            volatile: true,
            rows_of: None,
            settings: TransactionSettings::default(),
        }
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_function_fits_when_its_required_arguments_are_named_and_no_other() {
        let f = function(&[("a", true), ("b", false)]);
        assert!(fits(&f, &names(&["a"])));
        assert!(fits(&f, &names(&["a", "b"])));
        assert!(!fits(&f, &names(&["b"])));
        assert!(!fits(&f, &names(&["a", "c"])));
    }

    #[test]
    fn an_unnamed_argument_is_never_matched_by_an_empty_key() {
        let f = function(&[("", true)]);
        assert!(!fits(&f, &names(&[""])));
        assert!(!fits(&f, &names(&[])));
    }
}
