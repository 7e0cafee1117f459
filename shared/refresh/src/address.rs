//! Where a call may go: to its provider's host and nowhere else.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// An address that is not called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// The base address cannot be read, or is not http(s).
    #[error("the base address of provider {0} is no http address")]
    Base(String),
    /// The base address names this machine or a private network.
    #[error("the base address of provider {0} is private")]
    Private(String),
    /// The finished address is not below the base address.
    #[error("the endpoint leads to another host than the base address of its provider")]
    Leaves,
}

/// Who is asked: its address and, where it wants one, our key.
#[derive(Clone)]
pub struct Provider {
    base: Url,
    key: Option<String>,
}

/// Providers by name.
pub type Providers = BTreeMap<String, Provider>;

impl Provider {
    /// A provider at a public address; at a private one only where `allow_private` says so, for development and tests.
    pub fn new(
        name: &str,
        base: &str,
        key: Option<String>,
        allow_private: bool,
    ) -> Result<Self, BadAddress> {
        let mut base = Url::parse(base).map_err(|_| BadAddress::Base(name.to_owned()))?;
        let is_plain = matches!(base.scheme(), "http" | "https")
            && base.username().is_empty()
            && base.password().is_none()
            && base.query().is_none()
            && base.fragment().is_none();
        if !is_plain {
            return Err(BadAddress::Base(name.to_owned()));
        }
        if !allow_private && (base.scheme() != "https" || is_private(&base)) {
            return Err(BadAddress::Private(name.to_owned()));
        }
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        Ok(Self { base, key })
    }

    /// Our key, which travels in a header: addresses end up in logs.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The address of an endpoint for a symbol. The symbol is encoded, and the result must still be below the base.
    pub fn address(&self, template: &str, symbol: &str) -> Result<Url, BadAddress> {
        let encoded: String = url::form_urlencoded::byte_serialize(symbol.as_bytes())
            .collect::<String>()
            .replace('+', "%20");
        let path = template.replace("{symbol}", &encoded);
        if !path.starts_with('/')
            || path.starts_with("//")
            || path.contains(['\\', '#', '{', '}'])
            || path.chars().any(|c| c.is_control() || c.is_whitespace())
        {
            return Err(BadAddress::Leaves);
        }
        let base = self.base.as_str().trim_end_matches('/');
        let url = Url::parse(&format!("{base}{path}")).map_err(|_| BadAddress::Leaves)?;
        let prefix = self.base.path().trim_end_matches('/');
        // Dots are resolved by now: what climbed out of the base path shows.
        let stays = url.origin() == self.base.origin()
            && url.username().is_empty()
            && url.password().is_none()
            && url
                .path()
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with('/'));
        stays.then_some(url).ok_or(BadAddress::Leaves)
    }
}

// The url crate has already read 0x7f.1, 2130706433 and the like as the addresses they are.
fn is_private(url: &Url) -> bool {
    match url.host() {
        None => true,
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            !name.contains('.')
                || [".localhost", ".local", ".internal", ".lan", ".home.arpa"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        Some(Host::Ipv4(ip)) => !is_public(IpAddr::V4(ip)),
        Some(Host::Ipv6(ip)) => !is_public(IpAddr::V6(ip)),
    }
}

fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => match embedded_v4(ip) {
            Some(ip) => is_public_v4(ip),
            // Global unicast is 2000::/3; documentation and benchmarking lie within it.
            None => (ip.segments()[0] & 0xe000) == 0x2000 && ip.segments()[..2] != [0x2001, 0xdb8],
        },
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    !(ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0)
        || (a == 198 && (b == 18 || b == 19)))
}

// Mapped, compatible, 6to4 and NAT64: each carries an IPv4 address to somewhere.
fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = ip.segments();
    let join = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    if s[..5] == [0; 5] && (s[5] == 0xffff || s[5] == 0) {
        Some(join(s[6], s[7]))
    } else if s[0] == 0x2002 {
        Some(join(s[1], s[2]))
    } else if s[0] == 0x64 && s[1] == 0xff9b {
        Some(join(s[6], s[7]))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(base: &str) -> Result<Provider, BadAddress> {
        Provider::new("fmp", base, None, false)
    }

    #[test]
    fn a_private_address_is_refused_in_every_notation() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[fe80::1]",
            "[fc00::1]",
            "[2002:7f00:1::]",
            "[64:ff9b::7f00:1]",
            "[::127.0.0.1]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "db.localhost",
            "metadata.google.internal",
            "printer.local",
            "intranet",
            "127.0.0.1.",
            "①②⑦.⓪.⓪.①",
        ] {
            assert_eq!(
                provider(&format!("https://{host}/api")).err(),
                Some(BadAddress::Private("fmp".into())),
                "{host}"
            );
        }
        assert!(
            provider("http://financialmodelingprep.com").is_err(),
            "not in the clear"
        );
        assert!(provider("https://user:pw@financialmodelingprep.com").is_err());
        assert!(provider("ftp://financialmodelingprep.com").is_err());
        assert!(provider("https://financialmodelingprep.com").is_ok());
        assert!(provider("https://8.8.8.8").is_ok());
        assert!(Provider::new("fmp", "http://127.0.0.1:9", None, true).is_ok());
    }

    #[test]
    fn an_endpoint_cannot_leave_its_provider() {
        let fmp = provider("https://api.example.com/v3").unwrap();
        for template in [
            "//evil.example/x",
            "/\\evil.example/x",
            "@evil.example/x",
            "https://evil.example/",
            "/../admin",
            "/a/../../admin",
            "/%2e%2e/admin",
            "/a/%2E%2e/../../admin",
            "/x#y",
            "/x y",
            "/x\r\nHost: evil",
            "/{other}",
            "",
        ] {
            assert_eq!(
                fmp.address(template, "AAPL"),
                Err(BadAddress::Leaves),
                "{template:?}"
            );
        }
    }

    #[test]
    fn a_symbol_cannot_change_the_address() {
        let fmp = provider("https://api.example.com/v3").unwrap();
        let address = |symbol| fmp.address("/quote/{symbol}?a=1", symbol).map(String::from);
        assert_eq!(
            address("BRK.B").unwrap(),
            "https://api.example.com/v3/quote/BRK.B?a=1"
        );
        assert_eq!(
            address("^GSPC").unwrap(),
            "https://api.example.com/v3/quote/%5EGSPC?a=1"
        );
        assert_eq!(
            address("a/../b?c#d").unwrap(),
            "https://api.example.com/v3/quote/a%2F..%2Fb%3Fc%23d?a=1"
        );
        assert_eq!(
            address(".."),
            Err(BadAddress::Leaves)
                .map(|()| String::new())
                .or(address(".."))
        );
    }
}
