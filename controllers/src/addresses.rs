//! The one spelling in which controllers write addresses, whatever spelling they were told.

use ratchet_net::{Family, IpText};

/// An address, read sloppily.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(IpText);

impl Address {
    /// Reads the text; what cannot be read is nowhere written.
    pub(crate) fn read(text: &str) -> Option<Self> {
        IpText::read(text).ok().map(Self)
    }

    /// Its family; a mapped address is IPv4.
    pub(crate) fn family(&self) -> Family {
        self.0.family()
    }

    /// The canonical text.
    pub(crate) fn text(&self) -> String {
        self.0.canonical().to_string()
    }
}

/// How the API spells a family, both in Services and as the type of addresses in slices.
pub(crate) const FAMILIES: [(Family, &str); 2] = [(Family::V4, "IPv4"), (Family::V6, "IPv6")];

/// The family of this name.
pub(crate) fn family_named(name: &str) -> Option<Family> {
    FAMILIES.iter().find(|(_, known)| *known == name).map(|(family, _)| *family)
}

/// The name of a family.
pub(crate) fn name_of(family: Family) -> &'static str {
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
            let address = Address::read(text).expect("reads");
            assert_eq!((address.text().as_str(), address.family()), (canonical, family), "{text}");
        }
        for text in ["", "10.0.0", "fe80::1%eth0", "[::1]", "none", " 10.0.0.1"] {
            assert_eq!(Address::read(text), None, "{text}");
        }
    }
}
