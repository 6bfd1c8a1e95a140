//! The decision about one value: canonical already, one right replacement, or a choice that only a person can make.

use crate::octal;
use crate::reason::Reason;
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_engine::{Class, FIELDS, Field};
use ratchet_net::dns::{self, SearchReading, Underscores};
use ratchet_net::{CidrText, Family, IpText};

/// What a value denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueClass {
    /// An IP address.
    Address,
    /// A network in CIDR notation.
    Network,
    /// An address with the length of its network.
    InterfaceAddress,
    /// An entry of a DNS search list.
    SearchName,
}

impl ValueClass {
    /// The class of a row of the engine's table of fields.
    pub fn of(field: &Field) -> Self {
        match field.class {
            Class::LegacyAddress | Class::Address => Self::Address,
            Class::LegacyNetwork | Class::Network => Self::Network,
            Class::InterfaceAddress => Self::InterfaceAddress,
            Class::Follows(path) => FIELDS
                .iter()
                .find(|other| other.kind == field.kind && other.path == path)
                .filter(|other| !matches!(other.class, Class::Follows(_)))
                .map_or(Self::Address, |other| Self::of(other)),
        }
    }
}

/// How numbers with leading zeros are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// As Kubernetes has always read them: the zeros mean nothing.
    Decimal,
    /// As C reads them: a leading zero makes a number octal.
    Octal,
}

/// What a network with bits beyond its length means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostBits {
    /// The network that the address lies in.
    Network,
    /// The one address.
    Host,
}

/// What a person has decided about texts with two meanings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// How leading zeros are read where the readings differ; none to refuse.
    pub read_as: Option<ReadAs>,
    /// What host bits mean; none to refuse.
    pub host_bits: Option<HostBits>,
}

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is canonical, or not of this class of fields.
    Unchanged,
    /// It is replaced by its canonical form.
    Rewrite(String),
    /// It cannot be replaced, and why.
    Refused(Reason),
}

/// Decides about the text of a field.
pub fn decide(class: ValueClass, text: &str, choices: &Choices) -> Decision {
    match class {
        ValueClass::Address => address(text, choices),
        ValueClass::Network | ValueClass::InterfaceAddress => with_length(class, text, choices),
        ValueClass::SearchName => search_name(text),
    }
}

fn address(text: &str, choices: &Choices) -> Decision {
    let canonical = |text: &str| IpText::parse(text).ok().map(|ip| ip.canonical().to_string());
    if IpText::parse(text).is_ok_and(|ip| ip.is_canonical()) {
        return Decision::Unchanged;
    }
    match read(text, octal::address(text).as_deref(), canonical, choices) {
        Ok(new) => Decision::Rewrite(new),
        Err(Reason::Unreadable { .. }) => unreadable("an IP address"),
        Err(reason) => Decision::Refused(reason),
    }
}

fn with_length(class: ValueClass, text: &str, choices: &Choices) -> Decision {
    let is_network = class == ValueClass::Network;
    let is_canonical = |cidr: CidrText| match is_network {
        true => cidr.is_canonical_network(),
        false => cidr.is_canonical_interface(),
    };
    if CidrText::parse(text).is_ok_and(is_canonical) {
        return Decision::Unchanged;
    }
    // Host bits are decided about after the reading, because the reading decides which bits there are.
    let plain = |text: &str| {
        CidrText::parse(text)
            .ok()
            .map(|cidr| format!("{}/{}", cidr.ip().unfolded(), cidr.prefix_len()))
    };
    let read = match read(text, octal::with_length(text).as_deref(), plain, choices) {
        Ok(read) => read,
        Err(Reason::Unreadable { .. }) => {
            return unreadable(if is_network { "a network" } else { "an interface address" });
        }
        Err(reason) => return Decision::Refused(reason),
    };
    let Ok(cidr) = CidrText::parse(&read) else { return unreadable("a network") };
    let new = match (is_network, cidr.is_ambiguous()) {
        (false, _) => cidr.interface().to_string(),
        (true, false) => cidr.network().to_string(),
        (true, true) => {
            let width = if cidr.address_family() == Family::V4 { 32 } else { 128 };
            let host = format!("{}/{width}", cidr.ip().canonical());
            match choices.host_bits {
                Some(HostBits::Network) => cidr.network().to_string(),
                Some(HostBits::Host) => host,
                None => {
                    let network = cidr.network().to_string();
                    return Decision::Refused(Reason::HostBits { network, host });
                }
            }
        }
    };
    match CidrText::parse(&new) {
        Ok(cidr) if is_canonical(cidr) => Decision::Rewrite(new),
        _ => unreadable("an interface address"),
    }
}

/// What a text is by the reading that was chosen, or by the only one that there is.
fn read(
    text: &str,
    octal: Option<&str>,
    canonical: impl Fn(&str) -> Option<String>,
    choices: &Choices,
) -> Result<String, Reason> {
    let decimal = canonical(text);
    let octal = octal.and_then(&canonical);
    match (decimal, octal, choices.read_as) {
        (Some(decimal), Some(octal), _) if decimal == octal => Ok(decimal),
        (Some(decimal), Some(_), Some(ReadAs::Decimal)) => Ok(decimal),
        (_, Some(octal), Some(ReadAs::Octal)) => Ok(octal),
        (decimal, Some(octal), _) => Err(Reason::LeadingZeros { decimal, octal }),
        (Some(_), None, Some(ReadAs::Octal)) if octal::has_padding(text) => Err(Reason::NotOctal),
        (Some(decimal), None, _) => Ok(decimal),
        (None, None, _) => Err(Reason::Unreadable { wanted: "" }),
    }
}

/// Names differ in case only: everything else about a search name is a person's decision.
fn search_name(text: &str) -> Decision {
    let passes = |text: &str| {
        dns::search_name(text, SearchReading::Relaxed(Underscores::LeadingToo)).1.is_ok()
    };
    if passes(text) {
        return Decision::Unchanged;
    }
    let lower = text.to_ascii_lowercase();
    if passes(&lower) { Decision::Rewrite(lower) } else { unreadable("a DNS search name") }
}

fn unreadable(wanted: &'static str) -> Decision {
    Decision::Refused(Reason::Unreadable { wanted })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(class: ValueClass, text: &str, choices: Choices) -> Option<String> {
        match decide(class, text, &choices) {
            Decision::Rewrite(new) => Some(new),
            _ => None,
        }
    }

    const DECIMAL: Choices = Choices { read_as: Some(ReadAs::Decimal), host_bits: None };
    const OCTAL: Choices = Choices { read_as: Some(ReadAs::Octal), host_bits: None };

    #[test]
    fn leading_zeros_are_decided_by_a_person_where_readings_differ() {
        let none = Choices::default();
        for (text, free, decimal, octal) in [
            ("010.0.0.1", None, Some("10.0.0.1"), Some("8.0.0.1")),
            ("10.0.0.01", Some("10.0.0.1"), Some("10.0.0.1"), Some("10.0.0.1")),
            ("10.0.0.08", Some("10.0.0.8"), Some("10.0.0.8"), None),
            ("0300.0250.0.1", None, None, Some("192.168.0.1")),
            ("::ffff:10.0.0.1", Some("10.0.0.1"), Some("10.0.0.1"), Some("10.0.0.1")),
            ("::ffff:010.0.0.1", None, Some("10.0.0.1"), Some("8.0.0.1")),
            ("2001:DB8:0::00001", Some("2001:db8::1"), Some("2001:db8::1"), Some("2001:db8::1")),
            ("10.0.0", None, None, None),
        ] {
            let class = ValueClass::Address;
            assert_eq!(rewritten(class, text, none).as_deref(), free, "{text}");
            assert_eq!(rewritten(class, text, DECIMAL).as_deref(), decimal, "{text} decimal");
            assert_eq!(rewritten(class, text, OCTAL).as_deref(), octal, "{text} octal");
        }
        assert_eq!(decide(ValueClass::Address, "10.0.0.1", &OCTAL), Decision::Unchanged);
    }

    #[test]
    fn host_bits_are_decided_by_a_person() {
        let class = ValueClass::Network;
        let network = Choices { host_bits: Some(HostBits::Network), ..Choices::default() };
        let host = Choices { host_bits: Some(HostBits::Host), ..Choices::default() };
        for (text, free, with_network, with_host) in [
            ("192.168.1.5/24", None, Some("192.168.1.0/24"), Some("192.168.1.5/32")),
            ("::ffff:10.1.2.3/104", None, Some("10.0.0.0/8"), Some("10.1.2.3/32")),
            ("::ffff:10.0.0.0/104", Some("10.0.0.0/8"), Some("10.0.0.0/8"), Some("10.0.0.0/8")),
            ("2001:DB8::1/64", None, Some("2001:db8::/64"), Some("2001:db8::1/128")),
            ("10.0.0.0/08", Some("10.0.0.0/8"), Some("10.0.0.0/8"), Some("10.0.0.0/8")),
            ("10.0.0.0", None, None, None),
        ] {
            assert_eq!(rewritten(class, text, Choices::default()).as_deref(), free, "{text}");
            assert_eq!(rewritten(class, text, network).as_deref(), with_network, "{text}");
            assert_eq!(rewritten(class, text, host).as_deref(), with_host, "{text}");
        }
        let interface = ValueClass::InterfaceAddress;
        assert_eq!(decide(interface, "10.1.2.3/8", &Choices::default()), Decision::Unchanged);
        let text = rewritten(interface, "2001:DB8::1/64", Choices::default());
        assert_eq!(text.as_deref(), Some("2001:db8::1/64"));
    }

    #[test]
    fn search_names_differ_in_case_only() {
        let class = ValueClass::SearchName;
        for fine in ["example.com", "_tcp.a_b.example", ".", "example.com."] {
            assert_eq!(decide(class, fine, &Choices::default()), Decision::Unchanged, "{fine}");
        }
        let text = rewritten(class, "Example.COM", Choices::default());
        assert_eq!(text.as_deref(), Some("example.com"));
        assert_eq!(rewritten(class, "a b", Choices::default()), None);
    }
}
