//! Which pages of other origins may read our answers, and with which headers: the functions and the gateway say the same.
//!
//! A token in a header decides what a caller may do, never a cookie. So credentials are never allowed, and a page that is not listed
//! loses only the right to read answers in a browser.

/// Headers that supabase-js, our clients and compat clients send. A preflight that asks for others is given those as well.
pub const SENT: &str = "accept, accept-language, accept-profile, apikey, authorization, cache-control, content-language, content-profile, \
    content-type, idempotency-key, if-match, if-none-match, if-range, last-event-id, prefer, range, traceparent, tracestate, \
    x-client-info, x-correlation-id, x-region, x-retry-count, x-supabase-api-version, x-upsert";

/// Headers of answers that clients read.
pub const READ: &str = "accept-ranges, content-disposition, content-encoding, content-language, content-length, content-location, content-profile, \
    content-range, content-type, date, etag, idempotent-replayed, last-modified, location, preference-applied, proxy-status, range-unit, \
    retry-after, server, x-correlation-id";

/// Methods of all routes.
pub const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Seconds for which a browser keeps the answer to a preflight. Chromium keeps none longer than two hours.
pub const MAX_AGE: &str = "7200";

/// Origins on this machine, at every port: where development happens.
const LOOPBACK: [&str; 4] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
];

/// The origins that may read answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(Vec<String>);

impl Origins {
    /// From the text of CORS_ORIGINS: origins separated by commas or spaces. `https://*.example.com` allows subdomains,
    /// `http://localhost:*` every port, and `*` alone every origin.
    pub fn parse(text: &str) -> Self {
        let origins = text.split([',', ' ', '\n', '\t']);
        let origins = origins.map(|origin| origin.trim().trim_end_matches('/'));
        let origins = origins.filter(|origin| !origin.is_empty());
        Self(origins.map(str::to_ascii_lowercase).collect())
    }

    /// Where CORS_ORIGINS is not set: the deployment's own address, and every port of this machine where that is a local one.
    pub fn of_deployment(url: &str) -> Self {
        let Some(origin) = origin_of(url) else {
            return Self::default();
        };
        let is_local = LOOPBACK.iter().any(|pattern| fits(pattern, &origin));
        let mut origins = vec![origin];
        if is_local {
            origins.extend(LOOPBACK.map(str::to_owned));
        }
        Self(origins)
    }

    /// What Access-Control-Allow-Origin says to a page of this origin; None for one that may read nothing.
    pub fn allowed(&self, origin: &str) -> Option<String> {
        if self.0.iter().any(|pattern| pattern == "*") {
            return Some("*".to_owned());
        }
        let given = origin.to_ascii_lowercase();
        let is_listed = self.0.iter().any(|pattern| fits(pattern, &given));
        is_listed.then(|| origin.to_owned())
    }
}

/// What Access-Control-Allow-Headers says: our own list, and what the preflight asks for beside it.
pub fn allowed_headers(asked: Option<&str>) -> String {
    let mut allowed = SENT.to_owned();
    for name in asked.unwrap_or_default().split(',').map(str::trim) {
        let is_name = (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let is_known = SENT
            .split(", ")
            .any(|known| known.eq_ignore_ascii_case(name));
        if is_name && !is_known && allowed.len() < 4096 {
            allowed.push_str(", ");
            allowed.push_str(&name.to_ascii_lowercase());
        }
    }
    allowed
}

/// Scheme, host and port of an address, as a browser writes them in Origin.
fn origin_of(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let origin = url.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

fn fits(pattern: &str, origin: &str) -> bool {
    if pattern == origin {
        return true;
    }
    // Every port, and none.
    if let Some(host) = pattern.strip_suffix(":*") {
        let port = origin.strip_prefix(host).map(|port| port.strip_prefix(':'));
        return match port {
            Some(Some(port)) => !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()),
            Some(None) => origin == host,
            None => false,
        };
    }
    // One or more names before the rest.
    let Some((scheme, rest)) = pattern.split_once("*.") else {
        return false;
    };
    let names = origin
        .strip_prefix(scheme)
        .and_then(|origin| origin.strip_suffix(rest))
        .and_then(|names| names.strip_suffix('.'));
    scheme.ends_with("://")
        && names.is_some_and(|names| {
            !names.is_empty()
                && names
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_origin_is_answered_by_its_own_name_and_no_other_is_answered() {
        let origins = Origins::parse(
            "https://app.test, https://*.example.com http://localhost:* https://Shop.test:8443/",
        );
        for origin in [
            "https://app.test",
            "https://a.example.com",
            "https://a.b.example.com",
            "http://localhost:5173",
            "http://localhost",
            "https://shop.test:8443",
        ] {
            assert_eq!(origins.allowed(origin).as_deref(), Some(origin));
        }
        for origin in [
            "http://app.test",
            "https://app.test:444",
            "https://app.test.evil.test",
            "https://evil-app.test",
            "https://example.com",
            "https://evilexample.com",
            "https://evil.test/.example.com",
            "https://evil.test#.example.com",
            "http://localhost:80@evil.test",
            "http://localhost.evil.test",
            "http://localhost:",
            "null",
            "",
        ] {
            assert_eq!(origins.allowed(origin), None, "{origin}");
        }
    }

    #[test]
    fn every_origin_is_answered_by_a_star_only_where_the_star_is_set() {
        assert_eq!(
            Origins::parse("*").allowed("https://x.test").as_deref(),
            Some("*")
        );
        assert_eq!(Origins::parse("").allowed("https://x.test"), None);
    }

    #[test]
    fn without_a_list_the_deployment_itself_is_allowed_and_localhost_only_where_it_is_local() {
        let hosted = Origins::of_deployment("https://project.supabase.co/");
        assert!(hosted.allowed("https://project.supabase.co").is_some());
        assert!(hosted.allowed("http://localhost:3000").is_none());
        let local = Origins::of_deployment("http://127.0.0.1:54321");
        for origin in [
            "http://127.0.0.1:54321",
            "http://localhost:3000",
            "http://127.0.0.1:8",
        ] {
            assert!(local.allowed(origin).is_some(), "{origin}");
        }
        assert!(local.allowed("https://evil.test").is_none());
        assert!(
            Origins::of_deployment("no address")
                .allowed("null")
                .is_none()
        );
    }

    #[test]
    fn a_header_that_is_asked_for_is_allowed_beside_those_that_our_clients_send() {
        let allowed = allowed_headers(Some("X-Mine, authorization,bad name, ,evil\r\nset-cookie"));
        assert!(allowed.ends_with(", x-mine"), "{allowed}");
        assert_eq!(allowed.matches("authorization").count(), 1);
    }
}
