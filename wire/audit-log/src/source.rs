//! Source addresses of a request, from its headers and its connection.

use std::net::IpAddr;

use ratchet_net::IpText;

/// The addresses of a request, the farthest first: those in `X-Forwarded-For`, `X-Real-Ip` if it is
/// none of them, and the peer of the connection, which is the only one that cannot be forged.
pub fn source_ips(forwarded: Option<&str>, real: Option<&str>, remote: IpAddr) -> Vec<IpAddr> {
    let parse = |text: &str| IpText::parse(text).ok().map(|ip| ip.addr().to_canonical());
    let forwarded = forwarded.unwrap_or_default().split(',');
    let mut addresses: Vec<IpAddr> = forwarded.filter_map(|part| parse(part.trim())).collect();
    if let Some(real) = real.and_then(parse)
        && !addresses.contains(&real)
    {
        addresses.push(real);
    }
    let remote = remote.to_canonical();
    if addresses.last() != Some(&remote) {
        addresses.push(remote);
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_listed_as_the_api_server_lists_them() {
        let remote: IpAddr = "::ffff:10.0.0.1".parse().unwrap();
        for (forwarded, real, wanted) in [
            (None, None, "10.0.0.1"),
            (Some(""), Some(""), "10.0.0.1"),
            (Some("192.0.2.1, fd00::1,nonsense"), None, "192.0.2.1 fd00::1 10.0.0.1"),
            (Some("192.0.2.1"), Some("192.0.2.1"), "192.0.2.1 10.0.0.1"),
            (Some("192.0.2.1"), Some("192.0.2.2"), "192.0.2.1 192.0.2.2 10.0.0.1"),
            (Some("010.000.000.001"), None, "10.0.0.1"),
            (None, Some("10.0.0.1"), "10.0.0.1"),
        ] {
            let addresses: Vec<String> =
                source_ips(forwarded, real, remote).iter().map(IpAddr::to_string).collect();
            assert_eq!(addresses.join(" "), wanted);
        }
    }
}
