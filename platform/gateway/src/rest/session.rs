//! What the database may read of a request, and the role it runs as, as one statement.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::COOKIE;
use serde_json::{Map, Value};

use super::request::ApiRequest;
use crate::auth::Identity;
use crate::settings::Settings;
use gristmill_dialect::Sql;
use gristmill_dialect::catalog::TransactionSettings;
use gristmill_dialect::sql::quote::literal;
use gristmill_dialect::sql::writer::Writer;
use gristmill_pool::Access;

/// How long a statement of this request may run, by the function's setting, the role's, or the gateway's
/// own for that kind of role; None for as long as it likes.
pub(super) fn timeout<'a>(
    gateway: &Settings,
    identity: &Identity,
    brought: impl IntoIterator<Item = &'a TransactionSettings>,
) -> Option<Duration> {
    let brought = brought.into_iter().filter_map(|settings| settings.timeout);
    let timeout = brought.last().unwrap_or(own_timeout(gateway, identity));
    Some(timeout).filter(|time| !time.is_zero())
}

fn own_timeout(gateway: &Settings, identity: &Identity) -> Duration {
    let limits = &gateway.limits;
    match (identity.is_trusted(), identity.authenticated) {
        (true, _) => limits.statement_timeout,
        (false, true) => limits.user_statement_timeout,
        (false, false) => limits.anon_statement_timeout,
    }
}

/// All settings are local to the transaction. The role comes last: what stands before it is set
/// with the login role's rights. Session locks that a request left behind go too.
pub(super) fn settings<'a>(
    gateway: &Settings,
    request: &ApiRequest,
    access: Access,
    brought: impl IntoIterator<Item = &'a TransactionSettings>,
) -> Sql {
    let mut writer = Writer::default();
    let mut calls = vec!["pg_advisory_unlock_all()".to_owned()];
    let mut set = |name: &str, value: String| {
        let place = writer.bind(value);
        calls.push(format!("set_config({}, {place}, true)", literal(name)));
    };
    if access == Access::ReadOnly {
        set("transaction_read_only", "on".to_owned());
    }
    if gateway.shared {
        set("idle_in_transaction_session_timeout", "30000".to_owned());
    }
    if gateway.shared || request.schema != gateway.schemas.default() {
        set("search_path", gateway.schemas.search_path(&request.schema));
    }
    set("request.jwt.claims", request.identity.claims.clone());
    set("request.method", request.verb.name().to_owned());
    set("request.path", request.path.clone());
    set("request.headers", headers(&request.headers));
    set("request.cookies", cookies(&request.headers));
    // Connections are opened with the timeout of trusted roles; the settings below override it.
    if gateway.shared || !request.identity.is_trusted() {
        let millis = own_timeout(gateway, &request.identity).as_millis();
        set("statement_timeout", millis.to_string());
    }
    for settings in brought {
        for (name, value) in &settings.values {
            set(name, value.clone());
        }
    }
    set("role", request.identity.role.clone());
    writer.finish(format!("select {}", calls.join(", ")))
}

/// The headers as a JSON object, repeated ones joined, cookies apart.
fn headers(headers: &HeaderMap) -> String {
    let mut object = Map::new();
    for name in headers.keys().filter(|name| **name != COOKIE) {
        let values = headers.get_all(name).iter();
        let texts: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        object.insert(name.as_str().to_owned(), texts.join(", ").into());
    }
    Value::Object(object).to_string()
}

fn cookies(headers: &HeaderMap) -> String {
    let mut object = Map::new();
    for header in headers.get_all(COOKIE) {
        for pair in String::from_utf8_lossy(header.as_bytes()).split(';') {
            if let Some((name, value)) = pair.split_once('=') {
                object.insert(name.trim().to_owned(), value.trim().into());
            }
        }
    }
    Value::Object(object).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_reach_the_database_without_cookies() {
        let mut map = HeaderMap::new();
        map.append("x-a", "1".parse().unwrap());
        map.append("x-a", "2".parse().unwrap());
        map.append(COOKIE, "k=v; l=w=x".parse().unwrap());
        assert_eq!(headers(&map), r#"{"x-a":"1, 2"}"#);
        assert_eq!(cookies(&map), r#"{"k":"v","l":"w=x"}"#);
    }
}
