//! The hosts of `NO_PROXY`, parsed as Go parses it.

use std::net::IpAddr;

/// The hosts that are reached without a proxy.
#[derive(Clone, Debug, Default)]
pub(super) struct Exceptions(Vec<Exception>);

#[derive(Clone, Debug)]
enum Exception {
    All,
    Network(IpAddr, u8),
    Address(IpAddr, Option<u16>),
    /// A domain with a leading dot; `includes_domain` if the domain itself matches too.
    Domain {
        name: String,
        includes_domain: bool,
        port: Option<u16>,
    },
}

impl Exceptions {
    pub(super) fn parse(list: &str) -> Self {
        Self(
            list.split(',')
                .filter_map(|item| Exception::parse(&item.trim().to_lowercase()))
                .collect(),
        )
    }

    pub(super) fn contains(&self, host: &str, port: u16) -> bool {
        let host = host.to_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        let address = host.parse::<IpAddr>().ok();
        host == "localhost"
            || address.is_some_and(|address| address.is_loopback())
            || self.0.iter().any(|exception| exception.matches(host, address, port))
    }
}

impl Exception {
    fn parse(item: &str) -> Option<Self> {
        if item.is_empty() {
            return None;
        }
        if item == "*" {
            return Some(Self::All);
        }
        if let Some(network) = network(item) {
            return Some(network);
        }
        let (name, port) = split(item);
        if let Ok(address) = name.parse() {
            return Some(Self::Address(address, port));
        }
        let name = name.strip_prefix('*').filter(|rest| rest.starts_with('.')).unwrap_or(name);
        if name.is_empty() || name == "." {
            return None;
        }
        let includes_domain = !name.starts_with('.');
        let name = if includes_domain { format!(".{name}") } else { name.to_owned() };
        Some(Self::Domain { name, includes_domain, port })
    }

    fn matches(&self, host: &str, address: Option<IpAddr>, port: u16) -> bool {
        let port_matches = |exception_port: &Option<u16>| {
            exception_port.is_none_or(|exception_port| exception_port == port)
        };
        match self {
            Self::All => true,
            Self::Network(network, bits) => {
                address.is_some_and(|address| same_prefix(*network, address, *bits))
            }
            Self::Address(exception_address, exception_port) => {
                address == Some(*exception_address) && port_matches(exception_port)
            }
            Self::Domain { name, includes_domain, port: exception_port } => {
                let is_domain = *includes_domain && name.strip_prefix('.') == Some(host);
                address.is_none()
                    && (is_domain || host.ends_with(name.as_str()))
                    && port_matches(exception_port)
            }
        }
    }
}

fn network(item: &str) -> Option<Exception> {
    let (address, bits) = item.split_once('/')?;
    let (address, bits) = (address.parse::<IpAddr>().ok()?, bits.parse::<u8>().ok()?);
    let max_bits = if address.is_ipv4() { 32 } else { 128 };
    (bits <= max_bits).then_some(Exception::Network(address, bits))
}

fn split(item: &str) -> (&str, Option<u16>) {
    if let Some(rest) = item.strip_prefix('[') {
        let (name, after) = rest.split_once(']').unwrap_or((rest, ""));
        return (name, after.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match item.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') => (name, port.parse().ok()),
        _ => (item, None),
    }
}

fn same_prefix(network: IpAddr, address: IpAddr, bits: u8) -> bool {
    let (network, address, width) = match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            (u128::from(network.to_bits()), u128::from(address.to_bits()), 32)
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => (network.to_bits(), address.to_bits(), 128),
        _ => return false,
    };
    // A shift by the whole width is undefined in Rust.
    let cut = |value: u128| value.checked_shr(width - u32::from(bits)).unwrap_or(0);
    cut(network) == cut(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_as_go_reads_it() {
        let rows: &[(&str, &str, bool)] = &[
            ("", "10.0.0.1", false),
            ("", "localhost", true),
            ("", "127.0.0.1", true),
            ("", "::1", true),
            ("*", "node.example", true),
            ("10.0.0.0/8", "10.9.9.9", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("0.0.0.0/0", "11.0.0.1", true),
            ("0.0.0.0/0", "fd00::1", false),
            ("::/0", "fd00::1", true),
            ("fd00::/8", "fd00::1", true),
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1:10250", "10.0.0.1", true),
            ("10.0.0.1:443", "10.0.0.1", false),
            ("[fd00::1]:10250", "fd00::1", true),
            ("fd00::1", "fd00::1", true),
            ("example", "node.example", true),
            ("example", "example", true),
            ("example", "anexample", false),
            (".example", "node.example", true),
            (".example", "example", false),
            ("*.example", "node.example", true),
            ("*.example", "example", false),
            ("a, Node.Example ", "node.example.", true),
            ("node.example:1", "node.example", false),
            ("node.example:10250", "node.example", true),
        ];
        for (list, host, expected) in rows {
            assert_eq!(Exceptions::parse(list).contains(host, 10250), *expected, "{list:?} {host}");
        }
    }
}
