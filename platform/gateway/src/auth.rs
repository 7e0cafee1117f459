//! Who is asking: the bearer token of a request, verified and reduced to a role and its claims.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

use gristmill_token::{TokenError, with_role};

use gristmill_dialect::refusal::Refusal;

use crate::settings::Settings;

/// The role a request runs as, and what the database may read about its caller.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) role: String,
    /// The claims as JSON text, `role` always among them.
    pub(crate) claims: String,
    /// False for the anonymous role: a missing privilege is then 401 rather than 403.
    pub(crate) authenticated: bool,
    /// Whose requests are counted together; None for trusted roles, whose are not counted.
    pub(crate) caller: Option<String>,
}

impl Identity {
    /// Whether the role is one of the service's own, which no bound per caller holds for.
    pub(crate) fn is_trusted(&self) -> bool {
        self.caller.is_none()
    }
}

/// Verifies the request's token; without one it is the anonymous role's.
pub(crate) fn identify(
    headers: &HeaderMap,
    settings: &Settings,
    peer: IpAddr,
) -> Result<Identity, Refusal> {
    let limits = &settings.limits;
    let by_address = || address(headers, peer, limits.trusted_proxies);
    let Some(token) = bearer(headers) else {
        let role = settings.anon_role.clone().ok_or(Refusal::TokenRequired)?;
        return Ok(Identity {
            claims: serde_json::json!({ "role": role }).to_string(),
            role,
            authenticated: false,
            caller: Some(by_address()),
        });
    };
    identify_token(token?, settings, by_address)
}

/// The caller that a token names. `by_address` says whose requests are counted together where it names nobody.
pub(crate) fn identify_token(
    token: &str,
    settings: &Settings,
    by_address: impl FnOnce() -> String,
) -> Result<Identity, Refusal> {
    let limits = &settings.limits;
    if !settings.verifier.has_keys() {
        return Err(Refusal::NoSecret);
    }
    let claims = settings.verifier.verify(token, now())?;
    let role = match claims.role {
        Some(role) => role,
        None => settings.anon_role.clone().ok_or(Refusal::TokenRequired)?,
    };
    let caller = match claims.subject {
        _ if limits.is_trusted(&role) => None,
        Some(subject) => Some(format!("subject {subject}")),
        None => Some(by_address()),
    };
    Ok(Identity {
        caller,
        authenticated: settings.anon_role.as_deref() != Some(role.as_str()),
        claims: with_role(claims.json, &role),
        role,
    })
}

/// Where a request came from. Behind proxies it is what the outermost trusted one has seen: each appends
/// to X-Forwarded-For, so everything further left could have been made up by the caller.
fn address(headers: &HeaderMap, peer: IpAddr, proxies: usize) -> String {
    let chain: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    let seen = proxies
        .checked_sub(1)
        .and_then(|skipped| chain.iter().rev().nth(skipped));
    let known = seen.and_then(|text| text.parse().ok()).unwrap_or(peer);
    match known {
        // One household or one rented machine has a whole /64 of addresses.
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            format!("address {a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        known => format!("address {}", known.to_canonical()),
    }
}

/// The token, if the request carries one at all; other schemes (Basic) are not ours to judge.
fn bearer(headers: &HeaderMap) -> Option<Result<&str, Refusal>> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?;
    if values.next().is_some() {
        // Two tokens: a proxy in front may have judged the other one.
        return Some(Err(TokenError::Undecodable.into()));
    }
    let Ok(value) = value.to_str() else {
        return Some(Err(TokenError::Undecodable.into()));
    };
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    Some(Ok(token.trim()))
}

fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |elapsed| elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_address_is_the_peers_unless_a_proxy_is_trusted_to_know_better() {
        let peer: IpAddr = "10.0.0.9".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "6.6.6.6, 1.2.3.4".parse().unwrap());
        headers.append("x-forwarded-for", "10.0.0.1".parse().unwrap());
        assert_eq!(address(&headers, peer, 0), "address 10.0.0.9");
        assert_eq!(address(&headers, peer, 1), "address 10.0.0.1");
        assert_eq!(address(&headers, peer, 2), "address 1.2.3.4");
        assert_eq!(address(&headers, peer, 9), "address 10.0.0.9");
        let peer: IpAddr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        let none = HeaderMap::new();
        assert_eq!(address(&none, peer, 1), "address 2001:db8:1:2::/64");
    }

    #[test]
    fn only_the_bearer_scheme_carries_a_token() {
        assert!(bearer(&headers(&[])).is_none());
        assert!(bearer(&headers(&["Basic abc"])).is_none());
        assert_eq!(bearer(&headers(&["bearer abc"])).unwrap().unwrap(), "abc");
        assert_eq!(bearer(&headers(&["Bearer"])).unwrap().unwrap(), "");
    }

    #[test]
    fn two_authorization_headers_are_refused() {
        assert!(
            bearer(&headers(&["Bearer a", "Bearer b"]))
                .unwrap()
                .is_err()
        );
    }
}
