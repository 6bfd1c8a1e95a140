//! Formats of addresses and numbers with check digits.

use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::{CidrText, IpText};

/// An IPv4 address, leading zeros allowed; an IPv6 address with dots passes too.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.contains('.') && IpText::parse(text).is_ok()
}

/// An IPv6 address, spelled strictly.
pub(super) fn is_ipv6(text: &str) -> bool {
    // Only the strict spelling is accepted, and no zone.
    text.contains(':') && text.parse::<core::net::IpAddr>().is_ok()
}

/// A network, leading zeros and host bits allowed.
pub(super) fn is_cidr(text: &str) -> bool {
    CidrText::parse(text).is_ok()
}

/// A MAC address of 6, 8 or 20 bytes, in one of three spellings.
pub(super) fn is_mac(text: &str) -> bool {
    let (separator, width) = match text.as_bytes() {
        [_, _, b':', ..] => (':', 2),
        [_, _, b'-', ..] => ('-', 2),
        [_, _, _, _, b'.', ..] => ('.', 4),
        _ => return false,
    };
    let groups: Vec<&str> = text.split(separator).collect();
    let is_group =
        |group: &&str| group.len() == width && group.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(groups.len() * width, 12 | 16 | 40) && groups.iter().all(is_group)
}

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|letter| letter.to_digit(10)).collect()
}

/// A card number of a known issuer with its check digit; what is no digit does not count.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits = digits(text);
    let number: String = digits.iter().filter_map(|digit| char::from_digit(*digit, 10)).collect();
    let doubled = |digit: u32| if digit < 5 { digit * 2 } else { digit * 2 - 9 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| if index % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    is_issued(&number) && sum.is_multiple_of(10)
}

fn is_issued(number: &str) -> bool {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| number.starts_with(prefix));
    match number.len() {
        13 => starts(&["4"]),
        14 => starts(&["300", "301", "302", "303", "304", "305", "36", "38"]),
        15 => starts(&["34", "37", "2131", "1800"]),
        16 => {
            starts(&["4", "51", "52", "53", "54", "55", "6011", "35"]) || (number.starts_with("65"))
        }
        _ => false,
    }
}

/// Ten digits, the last of which may be an X, with a sum that eleven divides.
pub(super) fn is_isbn10(text: &str) -> bool {
    let bare = bare(text);
    if bare.len() != 10 {
        return false;
    }
    let mut sum = 0;
    for (index, letter) in (1..).zip(bare.chars()) {
        let value = match letter {
            'X' if index == 10 => 10,
            other => match other.to_digit(10) {
                Some(digit) => digit,
                None => return false,
            },
        };
        sum += index.min(10) * value;
    }
    sum % 11 == 0
}

/// Thirteen digits, the last of which checks the others.
pub(super) fn is_isbn13(text: &str) -> bool {
    let bare = bare(text);
    let digits = digits(&bare);
    if bare.len() != 13 || digits.len() != 13 {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .take(12)
        .enumerate()
        .map(|(index, digit)| if index % 2 == 0 { *digit } else { digit * 3 })
        .sum();
    digits.last() == Some(&((10 - sum % 10) % 10))
}

fn bare(text: &str) -> String {
    let is_gap = |letter: char| matches!(letter, '\t' | '\n' | '\u{c}' | '\r' | ' ' | '-');
    text.chars().filter(|letter| !is_gap(*letter)).collect()
}

/// `123-45-6789`: with both separators, since the length counts.
pub(super) fn is_ssn(text: &str) -> bool {
    text.len() == 11
        && text.bytes().enumerate().all(|(index, byte)| match index {
            3 | 6 => matches!(byte, b'-' | b' '),
            _ => byte.is_ascii_digit(),
        })
}
