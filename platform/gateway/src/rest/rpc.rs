//! Functions, at `/rpc/NAME`.

use bytes::Bytes;
use hyper::StatusCode;

use super::answer::Draft;
use super::arguments::Arguments;
use super::request::ApiRequest;
use super::{overload, session};
use crate::Gateway;
use crate::http::Answer;
use gristmill_dialect::Verb;
use gristmill_dialect::catalog::{Catalog, Function, Returns};
use gristmill_dialect::embedding::Embedding;
use gristmill_dialect::query::{Query, looks_like_filter};
use gristmill_dialect::range;
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::call::Call;
use gristmill_dialect::sql::{AFTER_READ, Window};
use gristmill_dialect::{Layout, Sql};
use gristmill_pool::{Access, RowCheck, Transaction};

pub(super) async fn serve(
    gateway: &Gateway,
    catalog: &Catalog,
    request: &ApiRequest,
    name: &str,
    body: Bytes,
) -> Result<Answer, Refusal> {
    let schema = catalog.schemas.get(&request.schema);
    let overloads = schema.and_then(|schema| schema.functions.get(name));
    let overloads = overloads.map_or(&[][..], Vec::as_slice);
    let (mut query, arguments) = match request.verb {
        Verb::Post => {
            let query = Query::parse(&request.query)?;
            let arguments = Arguments::from_body(&request.content_type, body)?;
            (query, arguments)
        }
        Verb::Get | Verb::Head => from_query_string(request, overloads)?,
        Verb::Options if overloads.is_empty() => {
            return Err(overload::not_found(request, name, &[]));
        }
        Verb::Options => return Ok(allowed(overloads)),
        other => return Err(Refusal::RpcMethod(other.name().into())),
    };
    query.within(&gateway.settings.limits.cost)?;
    let (function, input) = overload::choose(overloads, request, name, arguments)?;
    if let Some(relations) = schema {
        let schema = &request.schema;
        let rows_of = function.rows_of.as_ref();
        let relation = rows_of.and_then(|name| relations.relations.get(name));
        let parent = rows_of.map_or(name, String::as_str);
        Embedding { schema, relations }.join(&mut query, parent, relation)?;
    }

    let format = request.accepted.rows()?;
    let window = range::window(&query, request.verb, &request.headers)?;
    let is_partial = window != Window::default();
    let counts = request.preferences.count.is_some();
    let call = Call {
        schema: &request.schema,
        name,
        function,
        query: &query,
        window,
        most: gateway.settings.limits.max_rows,
        format,
        headers_only: request.verb == Verb::Head,
        count_all: counts && (is_partial || function.returns_set),
    };
    let max_affected = request.preferences.max_affected;
    if max_affected.is_some() && !function.returns_set {
        return Err(Refusal::MaxAffectedRpc);
    }
    let check = RowCheck {
        singular: format.is_singular(),
        max_affected,
        exactly_one: false,
    };
    let transaction = transaction(
        gateway,
        catalog,
        request,
        function,
        call.layout(),
        call.statement(input),
        check,
    );
    let trusted = request.identity.is_trusted();
    let outcome = gateway
        .pool
        .run(&request.visit, trusted, transaction)
        .await?;

    let total = match call.count_all {
        true => outcome.total,
        // A function that returns no set has one row.
        false => Some(outcome.rows).filter(|_| counts),
    };
    let status = range::status(window, outcome.rows, total)?;
    let returns_nothing = function.returns == Returns::Nothing;
    let mut draft = Draft::new(match returns_nothing {
        true => StatusCode::NO_CONTENT,
        false => status,
    });
    let range = range::content_range(window.offset, outcome.rows, total);
    draft.header("content-range", &range);
    draft.applied(request.preferences.applied_to_call());
    match returns_nothing {
        true => draft.without_body(&outcome),
        false => draft.with_rows(request, format, outcome),
    }
}

/// A GET's parameters are arguments where a function has one of that name; others are filters on
/// its rows, unless they cannot be one, and then no function will fit.
fn from_query_string(
    request: &ApiRequest,
    overloads: &[Function],
) -> Result<(Query, Arguments), Refusal> {
    let arguments = || overloads.iter().flat_map(|function| &function.arguments);
    let is_argument = |name: &str, value: &str| {
        arguments().any(|argument| argument.name == name) || !looks_like_filter(value)
    };
    let mut query = Query::parse_with(&request.query, is_argument)?;
    let given = std::mem::take(&mut query.arguments);
    let is_variadic = |name: &str| {
        let mut named = arguments().filter(|argument| argument.name == name);
        named.any(|argument| argument.variadic)
    };
    Ok((query, Arguments::from_pairs(given, is_variadic)))
}

fn transaction(
    gateway: &Gateway,
    catalog: &Catalog,
    request: &ApiRequest,
    function: &Function,
    layout: Layout,
    statement: Sql,
    check: RowCheck,
) -> Transaction {
    let of_role = catalog.roles.get(&request.identity.role);
    let of_function = &function.settings;
    let isolation = of_function
        .isolation
        .or_else(|| of_role.and_then(|settings| settings.isolation));
    // GET promises to change nothing, whatever the function is declared as.
    let may_write = function.volatile && request.verb == Verb::Post;
    let access = match may_write {
        true => Access::ReadWrite,
        false => Access::ReadOnly,
    };
    let brought = || of_role.into_iter().chain([of_function]);
    Transaction {
        isolation,
        role: request.identity.role.clone(),
        authenticated: request.identity.authenticated,
        settings: session::settings(&gateway.settings, request, access, brought()),
        statement,
        layout,
        access,
        epilogue: (layout != Layout::Whole).then_some(AFTER_READ),
        commits_last: false,
        timeout: session::timeout(&gateway.settings, &request.identity, brought()),
        estimate: None,
        check,
    }
}

fn allowed(overloads: &[Function]) -> Answer {
    let methods: &[&str] = match overloads.iter().all(|function| function.volatile) {
        true => &["OPTIONS", "POST"],
        false => &["OPTIONS", "GET", "HEAD", "POST"],
    };
    Draft::new(StatusCode::OK).allow(methods)
}
