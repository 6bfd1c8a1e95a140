//! Sloppy parsing of IPv6 text; what a strict parser refuses is reported on the way.

use crate::faults::Faults;
use crate::{AddrReason, dotted};

/// The parsed bits, and how they were spelled.
#[derive(Clone, Copy)]
pub(crate) struct Colons {
    pub(crate) bits: u128,
    /// Zeros that a strict parser refuses: a group of five digits or more, a padded octet.
    pub(crate) excess: bool,
    /// Lower case, no padding, and `::` exactly where RFC 5952 puts it.
    pub(crate) tidy: bool,
    /// The last two groups were written as four octets.
    pub(crate) tail: bool,
}

const GROUPS: u32 = 8;

/// A longer group has zeros that a strict parser refuses.
const STRICT_DIGITS: usize = 4;

/// Groups on one side of `::`, right-aligned.
#[derive(Clone, Copy)]
struct Side {
    bits: u128,
    /// One bit per group, set where the group is zero.
    zeros: u32,
    len: u32,
}

impl Side {
    const EMPTY: Self = Self { bits: 0, zeros: 0, len: 0 };

    #[inline]
    fn push(&mut self, group: u32) {
        self.bits = self.bits << 16 | u128::from(group);
        self.zeros = self.zeros << 1 | u32::from(group == 0);
        self.len += 1;
    }
}

/// Parses the whole text. A group may have any number of leading zeros.
#[inline]
pub(crate) fn parse<'a>(text: &'a [u8], faults: &mut impl Faults<'a>) -> Option<Colons> {
    let mut head = Side::EMPTY; // the groups before `::`, once there is one
    let mut side = Side::EMPTY;
    let mut shortened = false;
    let mut excess = false;
    let mut untidy = false;
    let mut tail = false;

    let mut rest = text;
    if let [b':', b':', after @ ..] = rest {
        shortened = true;
        rest = after;
    }
    // Entered where a group must follow, unless the text ends with `::`.
    while head.len + side.len < GROUPS && !(rest.is_empty() && shortened && side.len == 0) {
        let group = Group::parse(rest, faults)?;
        if group.after.first() == Some(&b'.') {
            let written_groups = head.len + side.len;
            if !shortened && written_groups != GROUPS - 2 {
                return faults.refuse_at(AddrReason::OctetsTooEarly, rest);
            }
            if written_groups > GROUPS - 2 {
                return faults.refuse_at(AddrReason::OctetsTooLate, rest);
            }
            let octets = dotted::parse(rest, faults)?;
            side.push(octets.bits >> 16);
            side.push(octets.bits & 0xffff);
            excess |= octets.padded;
            tail = true;
            rest = &[];
            break;
        }
        side.push(group.value);
        excess |= group.digits > STRICT_DIGITS;
        untidy |= group.untidy;
        rest = group.after;
        match rest {
            [] => break,
            [b':'] => return faults.refuse_at(AddrReason::ColonAtEnd, rest),
            [b':', second @ ..] if second.first() == Some(&b':') => {
                if shortened {
                    return faults.refuse_at(AddrReason::SecondEllipsis, second);
                }
                shortened = true;
                head = side;
                side = Side::EMPTY;
                rest = second.get(1..).unwrap_or_default();
            }
            [b':', after @ ..] => rest = after,
            _ => return faults.refuse_at(AddrReason::ColonWanted, rest),
        }
    }
    if !rest.is_empty() {
        return faults.refuse_at(AddrReason::TooManyGroups, rest);
    }
    let written_groups = head.len + side.len;
    // `::` stands for at least one group; without it every group is written.
    match (shortened, written_groups == GROUPS) {
        (true, true) => return faults.refuse(AddrReason::EmptyEllipsis),
        (false, false) => return faults.refuse(AddrReason::TooFewGroups),
        _ => {}
    }
    let omitted_groups = GROUPS - written_groups;
    // An empty head is shifted by all 128 bits.
    let bits = head.bits.checked_shl(16 * (GROUPS - head.len)).unwrap_or(0) | side.bits;
    let gap = ((1 << omitted_groups) - 1) << side.len;
    let zeros = head.zeros << (GROUPS - head.len) | gap | side.zeros;
    let tidy = !untidy && !excess && gap == longest_zero_run(zeros);
    Some(Colons { bits, excess, tidy, tail })
}

/// One group and the rest of the text.
struct Group<'a> {
    value: u32,
    digits: usize,
    untidy: bool,
    after: &'a [u8],
}

impl<'a> Group<'a> {
    #[inline]
    fn parse(text: &'a [u8], faults: &mut impl Faults<'a>) -> Option<Self> {
        let mut value = 0_u32;
        let mut digits = 0;
        let mut untidy = false;
        let mut after = text;
        while let [byte, next @ ..] = after {
            let (digit, upper) = match byte {
                b'0'..=b'9' => (byte - b'0', false),
                b'a'..=b'f' => (byte - b'a' + 10, false),
                b'A'..=b'F' => (byte - b'A' + 10, true),
                _ => break,
            };
            untidy |= upper | (digits == 1 && value == 0);
            value = value << 4 | u32::from(digit);
            if digits == STRICT_DIGITS {
                faults.note_at(AddrReason::GroupTooLong, text);
            }
            if value > 0xffff {
                return None;
            }
            digits += 1;
            after = next;
        }
        if digits == 0 {
            return faults.refuse_at(AddrReason::EmptyGroup, text);
        }
        Some(Self { value, digits, untidy, after })
    }
}

/// The groups that the canonical text replaces by `::`: the longest run of two zeros or more,
/// the first one of equally long runs. The first group is bit 7.
#[inline]
fn longest_zero_run(zeros: u32) -> u32 {
    // A bit survives a round as long as the run to its right goes on: the last survivors mark the
    // starts of the longest runs.
    let mut begins = zeros & zeros << 1;
    if begins == 0 {
        return 0;
    }
    let mut len = 2;
    loop {
        let longer = begins & zeros << len;
        if longer == 0 {
            let first = 31 - begins.leading_zeros();
            return ((1 << len) - 1) << (first + 1 - len);
        }
        begins = longer;
        len += 1;
    }
}
