//! Whether a request comes from the console's own page, and by an address of this machine.
//!
//! A page of another site can make a browser send requests here. Two things give it away: the `Origin` that the browser names, and, when the
//! site's own name was made to point to this machine (DNS rebinding), the `Host`.

use std::net::IpAddr;

use http::header::{HOST, HeaderMap, ORIGIN};

/// Whether `Host` is an address of this machine alone.
pub(crate) fn is_loopback_host(headers: &HeaderMap) -> bool {
    host(headers).is_some_and(|host| {
        let name = without_port(host);
        name == "localhost"
            || name
                .trim_matches(['[', ']'])
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    })
}

/// Whether the request names its own host as `Origin`. One without an `Origin` was not sent by a script of another site, but only
/// where browsers always name it, which is everything but GET and HEAD.
pub(crate) fn is_own(headers: &HeaderMap) -> bool {
    let origin = headers.get(ORIGIN).and_then(|value| value.to_str().ok());
    match (origin, host(headers)) {
        (Some(origin), Some(host)) => {
            origin.strip_prefix("http://") == Some(host)
                || origin.strip_prefix("https://") == Some(host)
        }
        _ => false,
    }
}

/// Whether the request names another origin than its own host.
pub(crate) fn is_foreign(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN) && !is_own(headers)
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(HOST).and_then(|value| value.to_str().ok())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // An IPv6 address without a port has colons too, but ends with a bracket.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(host: &'static str, origin: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        headers
    }

    #[test]
    fn only_addresses_of_this_machine_are_loopback_hosts() {
        for host in ["127.0.0.1:4000", "localhost:4000", "[::1]:4000", "[::1]"] {
            assert!(is_loopback_host(&headers(host, None)), "{host}");
        }
        for host in [
            "evil.test:4000",
            "127.0.0.1.evil.test",
            "localhost.evil.test",
            "10.0.0.1",
            "",
        ] {
            assert!(!is_loopback_host(&headers(host, None)), "{host}");
        }
    }

    #[test]
    fn another_port_of_this_machine_is_another_origin() {
        let own = headers("127.0.0.1:4000", Some("http://127.0.0.1:4000"));
        assert!(is_own(&own) && !is_foreign(&own));
        for origin in ["http://127.0.0.1:4001", "http://localhost:4000", "null"] {
            let foreign = headers("127.0.0.1:4000", Some(origin));
            assert!(!is_own(&foreign) && is_foreign(&foreign), "{origin}");
        }
        let unnamed = headers("127.0.0.1:4000", None);
        assert!(!is_own(&unnamed) && !is_foreign(&unnamed));
    }
}
