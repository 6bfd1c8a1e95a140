//! `ExternalIpAllowance`: external IPs that Services may have although `DenyServiceExternalIPs` is on.

use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::{CidrText, IpText};

/// Networks whose addresses are allowed in some namespaces, to some users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalIpAllowance {
    /// The networks.
    pub networks: Vec<CidrText>,
    /// The namespaces of the Services; none means all.
    pub namespaces: Vec<String>,
    /// The users who write them; none means all.
    pub users: Vec<String>,
}

impl ExternalIpAllowance {
    /// Whether a user may add an address to a Service in a namespace. An address that parsers read differently is in no
    /// network.
    pub fn allows(&self, address: &str, namespace: &str, user: Option<&str>) -> bool {
        let is_unambiguous = |ip: &IpText| ip.fault().is_none();
        let Some(ip) = IpText::parse(address).ok().filter(is_unambiguous) else { return false };
        let holds = |names: &[String], name: Option<&str>| {
            names.is_empty() || names.iter().any(|own| Some(own.as_str()) == name)
        };
        holds(&self.namespaces, Some(namespace))
            && holds(&self.users, user)
            && self.networks.iter().any(|network| network.contains(ip.addr()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn an_address_is_allowed_by_network_namespace_and_user() {
        let networks = ["203.0.113.0/24", "2001:db8::/32"].map(|text| text.parse().unwrap());
        let mut allowance =
            ExternalIpAllowance { networks: networks.into(), namespaces: vec![], users: vec![] };
        for address in ["203.0.113.7", "2001:db8::7"] {
            assert!(allowance.allows(address, "shop", None), "{address}");
        }
        for address in ["203.0.114.7", "203.0.113.07", "::ffff:203.0.113.7", "2001:db9::7", "x", ""]
        {
            assert!(!allowance.allows(address, "shop", None), "{address}");
        }
        allowance.namespaces = vec!["edge".into()];
        allowance.users = vec!["ann".into()];
        let allows = |namespace, user| allowance.allows("203.0.113.7", namespace, user);
        assert!(allows("edge", Some("ann")));
        assert!(!allows("shop", Some("ann")) && !allows("edge", Some("bob")));
        assert!(!allows("edge", None), "nobody is no one of the list");
    }
}
