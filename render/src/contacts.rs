//! How somebody is reached, and where they are.

use serde_json::{Value, json};

use crate::generic::{left_lines, listed, spelled};
use crate::text::{IntoSome, breakable, first, joined, text};

/// Mail, telephone, place and pages, each with its link where it has one.
pub(crate) fn contacts(basics: &Value) -> Vec<Value> {
    let link = |text: String, url: Option<String>| json!({"text": text, "url": url});
    let mut all = Vec::new();
    all.extend(first(basics, &["email"]).map(|email| {
        let url = is_address(&email).then(|| format!("mailto:{email}"));
        link(email, url)
    }));
    all.extend(first(basics, &["phone"]).map(|phone| link(phone, None)));
    let place = place(&basics["location"]);
    all.extend((!place.is_empty()).then(|| link(place, None)));
    all.extend(
        ["url", "website"]
            .iter()
            .filter_map(|key| first(basics, &[key]))
            .map(|url| web(&url)),
    );
    all.extend(strange(basics).map(|text| link(text, None)));
    for profile in listed(&basics["profiles"], &["url", "network", "username"]) {
        let url = text(&profile).or_else(|| first(&profile, &["url"]));
        match url {
            Some(url) => all.push(web(&url)),
            None => all.extend(
                joined(&profile, &["network", "username"])
                    .into_some()
                    .map(|text| link(text, None)),
            ),
        }
        let known = ["url", "network", "username", "icon"];
        all.extend(
            left_lines(&profile, &known)
                .into_iter()
                .map(|text| link(text, None)),
        );
    }
    all
}

// An address or a telephone number that is no text, such as a list of several.
fn strange(basics: &Value) -> impl Iterator<Item = String> {
    let keys = ["email", "phone", "url", "website"].iter();
    let strange = keys
        .map(|key| &basics[*key])
        .filter(|value| text(value).is_none());
    strange.filter_map(|value| spelled(value).into_some())
}

// Only what is a web address becomes a link: a document must not open anything else when it is clicked.
fn web(url: &str) -> Value {
    let bare = url
        .trim_start_matches("https://")
        .trim_start_matches("http://");
    let shown = bare.trim_start_matches("www.").trim_end_matches('/');
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    let target = if is_web {
        url.to_owned()
    } else {
        format!("https://{bare}")
    };
    let is_plain = target.chars().all(|letter| letter.is_ascii_graphic());
    json!({"text": breakable(shown), "url": (is_plain && (is_web || !url.contains(':'))).then_some(target)})
}

fn is_address(email: &str) -> bool {
    email.chars().all(|letter| letter.is_ascii_graphic()) && email.matches('@').count() == 1
}

/// A place: a text, or an object of parts.
pub(crate) fn place(location: &Value) -> String {
    let known = ["address", "postalCode", "city", "region", "countryCode"];
    let Some(_) = location.as_object() else {
        return spelled(location);
    };
    let mut parts = vec![joined(location, &known)];
    parts.extend(left_lines(location, &known));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_addresses_become_links() {
        let url_of = |url: &str| web(url)["url"].clone();
        assert_eq!(url_of("https://example.org/a"), "https://example.org/a");
        assert_eq!(url_of("example.org"), "https://example.org");
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "https://a b",
        ] {
            assert_eq!(url_of(url), Value::Null, "{url}");
        }
    }
}
