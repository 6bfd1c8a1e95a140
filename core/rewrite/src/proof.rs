//! The proof of an edit: old and new text denote the same, and the parsed documents differ in the edited values alone.
//!
//! Texts are read here by the standard library after zeros were removed, and not by the parser that made the canonical
//! form, so that a fault of one is found by the other.

use crate::decide::{Choices, HostBits, ReadAs, ValueClass};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_object::{Decoded, Node, Span, Value};

/// Whether both texts denote the same under the old reading, or under the one that was chosen.
pub fn denotes_same(class: ValueClass, old: &str, new: &str, choices: &Choices) -> bool {
    let old = old.trim();
    // Where both readings of a text agree, or one is none, the choice does not matter.
    let readings = [ReadAs::Decimal, ReadAs::Octal];
    let chosen = |reading: &&ReadAs| choices.read_as.is_none_or(|chosen| chosen == **reading);
    match class {
        ValueClass::SearchName => old.eq_ignore_ascii_case(new),
        ValueClass::Address => {
            let wanted = address(new, ReadAs::Decimal);
            let mut seen =
                readings.iter().filter(chosen).filter_map(|one| address(old, *one)).peekable();
            wanted.is_some() && seen.peek().is_some() && seen.all(|addr| Some(addr) == wanted)
        }
        ValueClass::InterfaceAddress | ValueClass::Network => {
            let Some(wanted) = with_length(new, ReadAs::Decimal) else { return false };
            let mut seen =
                readings.iter().filter(chosen).filter_map(|one| with_length(old, *one)).peekable();
            seen.peek().is_some() && seen.all(|old| same_network(class, old, wanted, choices))
        }
    }
}

fn same_network(
    class: ValueClass,
    old: (IpAddr, u32),
    new: (IpAddr, u32),
    choices: &Choices,
) -> bool {
    if class == ValueClass::InterfaceAddress {
        return folded(old) == folded(new);
    }
    let network = |(addr, length): (IpAddr, u32)| folded((masked(addr, length), length));
    let is_ambiguous = network(old) != folded(old);
    if is_ambiguous && choices.host_bits == Some(HostBits::Host) {
        let width = if new.0.is_ipv4() { 32 } else { 128 };
        return old.0.to_canonical() == new.0 && new.1 == width;
    }
    network(old) == network(new)
}

/// The address of a text by a reading; a mapped one as IPv4.
fn address(text: &str, reading: ReadAs) -> Option<IpAddr> {
    unfolded(text, reading).map(|addr| addr.to_canonical())
}

fn unfolded(text: &str, reading: ReadAs) -> Option<IpAddr> {
    let (colons, dotted) = match text.rfind(':') {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let groups: Vec<&str> = colons
        .split(':')
        .map(|group| if group.len() > 4 { stripped(group) } else { group })
        .collect();
    let last = match dotted.contains('.') {
        false if dotted.len() > 4 => stripped(dotted).to_string(),
        false => dotted.to_string(),
        true => {
            let octets: Option<Vec<String>> =
                dotted.split('.').map(|octet| octet_text(octet, reading)).collect();
            octets?.join(".")
        }
    };
    let mut plain = groups.join(":");
    plain.push_str(&last);
    plain.parse().ok()
}

fn with_length(text: &str, reading: ReadAs) -> Option<(IpAddr, u32)> {
    let (addr, length) = text.split_once('/')?;
    let length = octet_text(length, reading)?.parse().ok()?;
    let addr = unfolded(addr, reading)?;
    let width = if addr.is_ipv4() { 32 } else { 128 };
    (length <= width).then_some((addr, length))
}

/// A decimal or octal number without its zeros.
fn octet_text(text: &str, reading: ReadAs) -> Option<String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = is_number.then(|| stripped(text))?;
    match reading {
        ReadAs::Octal if text.len() > 1 && text.starts_with('0') => {
            u32::from_str_radix(bare, 8).ok().map(|number| number.to_string())
        }
        _ => Some(bare.to_string()),
    }
}

/// Without leading zeros, but never empty.
fn stripped(digits: &str) -> &str {
    let bare = digits.trim_start_matches('0');
    if bare.is_empty() {
        digits.get(digits.len().saturating_sub(1)..).unwrap_or_default()
    } else {
        bare
    }
}

/// A mapped address with all of the mapping in its prefix is an IPv4 one.
fn folded((addr, length): (IpAddr, u32)) -> (IpAddr, u32) {
    match addr.to_canonical() {
        IpAddr::V4(v4) if addr.is_ipv6() && length >= 96 => (IpAddr::V4(v4), length - 96),
        _ => (addr, length),
    }
}

fn masked(addr: IpAddr, length: u32) -> IpAddr {
    match addr {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(length)).unwrap_or(0);
            IpAddr::V4((v4.to_bits() & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(length)).unwrap_or(0);
            IpAddr::V6((v6.to_bits() & mask).into())
        }
    }
}

/// Replacements by the place of the old value: old and new text.
pub(crate) type Replacements<'a> = BTreeMap<(u32, u32), (&'a str, &'a str)>;

/// Whether the new documents are the old ones with every replacement made, and nothing else.
pub(crate) fn differ_only_by(
    old: &Decoded<'_>,
    new: &Decoded<'_>,
    replacements: &Replacements<'_>,
) -> bool {
    let repeated = |decoded: &Decoded<'_>| -> Vec<String> {
        decoded.repeated.iter().map(|row| row.path.clone()).collect()
    };
    let mut made: BTreeMap<(u32, u32), ()> = BTreeMap::new();
    old.documents.len() == new.documents.len()
        && repeated(old) == repeated(new)
        && old
            .documents
            .iter()
            .zip(&new.documents)
            .all(|(old, new)| same(old, new, replacements, &mut made))
        && made.len() == replacements.len()
}

fn same(
    old: &Node<'_>,
    new: &Node<'_>,
    replacements: &Replacements<'_>,
    made: &mut BTreeMap<(u32, u32), ()>,
) -> bool {
    match (&old.value, &new.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(old), Value::Bool(new)) => old == new,
        (Value::Int(old), Value::Int(new)) => old == new,
        (Value::Float(old), Value::Float(new)) => old.to_bits() == new.to_bits(),
        (Value::Text(text), Value::Text(new)) => match replacements.get(&key(old.span)) {
            Some((before, after)) => {
                made.insert(key(old.span), ());
                text == before && new == after
            }
            None => text == new,
        },
        (Value::List(old), Value::List(new)) => {
            old.len() == new.len()
                && old.iter().zip(new).all(|(old, new)| same(old, new, replacements, made))
        }
        (Value::Map(old), Value::Map(new)) => {
            old.len() == new.len()
                && old.iter().zip(new).all(|(old, new)| {
                    old.key == new.key && same(&old.node, &new.node, replacements, made)
                })
        }
        _ => false,
    }
}

/// The place of a value: aliases and merges repeat it.
pub(crate) fn key(span: Span) -> (u32, u32) {
    (span.start, span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_denote_the_same_only_if_they_do() {
        let (none, class) = (Choices::default(), ValueClass::Address);
        assert!(denotes_same(class, "10.0.0.01", "10.0.0.1", &none));
        assert!(!denotes_same(class, "010.0.0.1", "10.0.0.1", &none), "two readings");
        let octal = Choices { read_as: Some(ReadAs::Octal), ..none };
        assert!(denotes_same(class, "010.0.0.1", "8.0.0.1", &octal));
        assert!(!denotes_same(class, "010.0.0.1", "10.0.0.1", &octal));
        assert!(denotes_same(class, "2001:DB8:0:0::000001", "2001:db8::1", &none));
        assert!(!denotes_same(class, "2001:db8::1", "2001:db8::2", &none));
        let class = ValueClass::Network;
        assert!(denotes_same(class, " ::ffff:10.0.0.0/104", "10.0.0.0/8", &none));
        assert!(!denotes_same(class, "10.0.0.0/8", "10.0.0.0/9", &none));
        let host = Choices { host_bits: Some(HostBits::Host), ..none };
        assert!(denotes_same(class, "10.1.2.3/8", "10.1.2.3/32", &host));
        assert!(!denotes_same(class, "10.1.2.3/8", "10.0.0.0/8", &host));
        assert!(!denotes_same(class, "10.1.2.3/8", "10.1.2.4/32", &host));
        assert!(denotes_same(ValueClass::SearchName, "A.b", "a.b", &none));
    }
}
