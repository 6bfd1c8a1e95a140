//! IP addresses in the canonical form that controllers write, whatever form the source object uses.

use ratchet_net::{Family, IpText};

/// An IP address parsed leniently: leading zeros and IPv4-mapped forms are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(IpText);

impl Address {
    /// `None` for text that is not an address; such text is never written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        IpText::parse(text).ok().map(Self)
    }

    /// A mapped address is IPv4.
    pub(crate) fn family(&self) -> Family {
        self.0.family()
    }

    /// The canonical form.
    pub(crate) fn text(&self) -> String {
        self.0.canonical().to_string()
    }
}

/// Names of the families in the API, both in `ipFamilies` of Services and as `addressType` of
/// slices.
pub(crate) const FAMILIES: [(Family, &str); 2] = [(Family::V4, "IPv4"), (Family::V6, "IPv6")];

pub(crate) fn parse_family(name: &str) -> Option<Family> {
    FAMILIES.iter().find(|(_, known)| *known == name).map(|(family, _)| *family)
}

pub(crate) fn family_name(family: Family) -> &'static str {
    match family {
        Family::V4 => "IPv4",
        Family::V6 => "IPv6",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_becomes_the_canonical_one() {
        for (text, canonical, family) in [
            ("10.0.0.1", "10.0.0.1", Family::V4),
            ("010.000.0.001", "10.0.0.1", Family::V4),
            ("::ffff:10.0.0.1", "10.0.0.1", Family::V4),
            ("::FFFF:A00:1", "10.0.0.1", Family::V4),
            ("2001:DB8:0:0::1", "2001:db8::1", Family::V6),
            ("::1.2.3.4", "::102:304", Family::V6),
        ] {
            let address = Address::parse(text).expect("reads");
            assert_eq!((address.text().as_str(), address.family()), (canonical, family), "{text}");
        }
        for text in ["", "10.0.0", "fe80::1%eth0", "[::1]", "none", " 10.0.0.1"] {
            assert_eq!(Address::parse(text), None, "{text}");
        }
    }
}
