//! A network divided into equal subnets, and which of them are allocated.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ratchet_net::{CidrText, Family};

/// An IPv6 network is divided into at most two to the power of this many subnets.
const MAX_BITS_V6: u8 = 16;

/// A network as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) family: Family,
    pub(crate) base: u128,
    pub(crate) length: u8,
}

impl Block {
    /// Parses a network sloppily: whatever its spelling, it is the network that it denotes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let cidr = CidrText::parse(text).ok()?;
        let base = cidr.network_addr();
        let length = match base {
            IpAddr::V4(_) if cidr.width() == Family::V6.width() => {
                cidr.prefix_len().checked_sub(Family::V6.width() - Family::V4.width())?
            }
            _ => cidr.prefix_len(),
        };
        let number = match base {
            IpAddr::V4(ip) => ip.to_bits().into(),
            IpAddr::V6(ip) => ip.to_bits(),
        };
        Some(Self { family: Family::of(base), base: number, length })
    }

    fn last(&self) -> u128 {
        let bits = u32::from(self.family.width().saturating_sub(self.length));
        let size = 1_u128.checked_shl(bits).map_or(u128::MAX, |size| size - 1);
        self.base | size
    }
}

/// The subnets of a network.
#[derive(Clone, Debug)]
pub(crate) struct Subnets {
    whole: Block,
    length: u8,
    /// Subnets that are allocated one by one, and how often.
    allocated: BTreeMap<u128, u32>,
    /// Runs of subnets that are allocated together.
    runs: Vec<(u128, u128)>,
    /// Where to search first: released subnets are not reused at once.
    next: u128,
}

impl Subnets {
    /// The subnets of this prefix length.
    pub(crate) fn new(whole: Block, length: u8) -> Result<Self, String> {
        if whole.length > length {
            return Err("Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family".into());
        }
        if length > whole.family.width() {
            let width = whole.family.width();
            return Err(format!("the node CIDR mask size {length} is larger than {width} bits"));
        }
        if whole.family == Family::V6 && length - whole.length > MAX_BITS_V6 {
            return Err("New CIDR set failed; the node CIDR size is too big".into());
        }
        Ok(Self { whole, length, allocated: BTreeMap::new(), runs: Vec::new(), next: 0 })
    }

    /// The first and the last subnet that this network overlaps, if any.
    pub(crate) fn overlap(&self, block: &Block) -> Option<(u128, u128)> {
        let (first, last) = (block.base.max(self.whole.base), block.last().min(self.whole.last()));
        let touches = block.family == self.whole.family && first <= last;
        touches.then(|| (self.part_of(first), self.part_of(last)))
    }

    /// Counts these subnets as allocated once more.
    pub(crate) fn occupy(&mut self, (first, last): (u128, u128)) {
        if first == last {
            *self.allocated.entry(first).or_default() += 1;
        } else {
            self.runs.push((first, last));
        }
    }

    /// Counts these subnets as allocated once less.
    pub(crate) fn release(&mut self, (first, last): (u128, u128)) {
        if first != last {
            if let Some(at) = self.runs.iter().position(|run| *run == (first, last)) {
                self.runs.swap_remove(at);
            }
        } else if let Some(count) = self.allocated.get_mut(&first) {
            *count -= 1;
            if *count == 0 {
                self.allocated.remove(&first);
            }
        }
    }

    /// Allocates the next free subnet, if there is one.
    pub(crate) fn take(&mut self) -> Option<u128> {
        let count = self.count();
        let free = self.free(self.next, count).or_else(|| self.free(0, self.next))?;
        self.next = (free + 1) % count;
        self.occupy((free, free));
        Some(free)
    }

    /// The canonical text of a subnet.
    pub(crate) fn text(&self, part: u128) -> String {
        let number = self.whole.base | part.checked_shl(self.bits().into()).unwrap_or(0);
        let address: IpAddr = match self.whole.family {
            Family::V4 => Ipv4Addr::from_bits(u32::try_from(number).unwrap_or(u32::MAX)).into(),
            Family::V6 => Ipv6Addr::from_bits(number).into(),
        };
        format!("{address}/{}", self.length)
    }

    /// The first free subnet from `from` on, before `end`.
    fn free(&self, from: u128, end: u128) -> Option<u128> {
        let mut candidate = from;
        while candidate < end {
            let run = self.runs.iter().find(|(first, last)| (*first..=*last).contains(&candidate));
            candidate = match run {
                Some((_, last)) => last + 1,
                None if self.allocated.contains_key(&candidate) => candidate + 1,
                None => return Some(candidate),
            };
        }
        None
    }

    fn count(&self) -> u128 {
        1 << (self.length - self.whole.length)
    }

    fn bits(&self) -> u8 {
        self.whole.family.width() - self.length
    }

    fn part_of(&self, number: u128) -> u128 {
        // Where the subnets are single addresses of an IPv4 network, or larger, this fits.
        (number - self.whole.base).checked_shr(self.bits().into()).unwrap_or(0)
    }
}
