//! Which addresses are not the public internet's.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// True for loopback, private, link-local, shared, reserved and multicast addresses, in whatever IPv6
/// clothes an IPv4 address comes.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => embedded_v4(v6).map_or_else(|| is_private_v6(v6), is_private_v4),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b)) // shared address space, RFC 6598
        || (a == 198 && (18..20).contains(&b)) // benchmarks, RFC 2544
        || (a == 192 && b == 0 && c == 0) // protocol assignments, RFC 6890
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || first & 0xffc0 == 0xfec0 // site-local, long deprecated, still routed by some
        || first == 0x0100 // discard-only, RFC 6666
}

/// IPv4 inside IPv6: mapped, compatible, NAT64 and 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let low = |high: u16, low: u16| {
        let ([w, x], [y, z]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(w, x, y, z)
    };
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) | (0x0064, 0xff9b, 0, 0, 0, 0) => Some(low(g, h)),
        (0, 0, 0, 0, 0, 0) if g != 0 => Some(low(g, h)),
        (0x2002, ..) => Some(low(b, c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_an_inner_address_is_private() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "fe80::1",
            "fd00::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn public_addresses_stay_public() {
        for text in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }
}
