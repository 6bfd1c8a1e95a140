//! The ranges of cluster IPs and node ports.

use crate::choose::Band;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ratchet_net::{CidrText, Family};

/// The shortest prefix of an IPv6 range.
const MIN_PREFIX_LEN_V6: u8 = 64;

/// The ranges of a server: one network or one of each family, and node ports.
#[derive(Clone, Debug)]
pub struct Ranges {
    primary: Network,
    secondary: Option<Network>,
    more: Vec<Network>,
    ports: PortRange,
}

/// A network, without the addresses that no Service may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    family: Family,
    base: u128,
    length: u8,
}

/// Node ports, both ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortRange {
    first: u16,
    last: u16,
    /// Whether a Service may name a port outside, because nothing is allocated.
    pub(crate) allows_others: bool,
}

impl Ranges {
    /// The ranges for a dry run: as in Kubernetes, node ports outside are not refused then.
    /// Addresses are asked of one network, whether they are taken or not.
    #[must_use]
    pub fn for_dry_run(&self) -> Self {
        Self { ports: PortRange { allows_others: true, ..self.ports }, ..self.clone() }
    }

    /// The ranges of a server's flags; `ports` are the first and the last node port.
    pub fn new(primary: &str, secondary: Option<&str>, ports: (u16, u16)) -> Result<Self, String> {
        let invalid = |message: &'static str| move |_: InvalidCidr| message.to_string();
        let primary = Network::parse(primary)
            .map_err(invalid("service-cluster-ip-range[0] is not a valid cidr"))??;
        let secondary = secondary
            .map(|text| {
                Network::parse(text)
                    .map_err(invalid("service-cluster-ip-range[1] is not an ip net"))?
            })
            .transpose()?;
        if secondary.is_some_and(|other| other.family == primary.family) {
            return Err("--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family".into());
        }
        let (first, last) = ports;
        if first == 0 || first > last {
            return Err(format!("--service-node-port-range {first}-{last} holds no port"));
        }
        Ok(Self {
            primary,
            secondary,
            more: Vec::new(),
            ports: PortRange { first, last, allows_others: false },
        })
    }

    /// Adds a network of another ServiceCIDR that is ready. One of a family that the flags do not
    /// have is never used.
    pub fn add(&mut self, cidr: &str) -> Result<(), String> {
        let network =
            Network::parse(cidr).map_err(|_| format!("{cidr:?} is not a valid cidr"))??;
        if self.networks().all(|existing| *existing != network) {
            self.more.push(network);
        }
        Ok(())
    }

    /// The family of Services that request none.
    pub fn primary_family(&self) -> Family {
        self.primary.family
    }

    /// Whether Services can have an address of each family.
    pub fn is_dual_stack(&self) -> bool {
        self.secondary.is_some()
    }

    /// The networks of the flags in canonical text, as in the default ServiceCIDR.
    pub fn cidrs(&self) -> Vec<String> {
        let flags = core::iter::once(&self.primary).chain(&self.secondary);
        flags.map(ToString::to_string).collect()
    }

    /// The first address, which belongs to the API server's own Service; none in the smallest networks.
    pub fn first_address(&self) -> Option<IpAddr> {
        let (first, last) = self.primary.hosts();
        (first <= last).then(|| self.primary.address(first))
    }

    /// Whether these ranges are for a dry run.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.ports.allows_others
    }

    /// Whether a Service may have this address.
    pub fn contains(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        self.of_family(Family::of(ip)).any(|network| network.contains(ip))
    }

    /// Whether the flags have a network of this family (`IPv4` or `IPv6`).
    pub(crate) fn has_family(&self, family: &str) -> bool {
        [Family::V4, Family::V6].into_iter().any(|candidate| {
            family == family_name(candidate) && self.of_family(candidate).next().is_some()
        })
    }

    /// The networks of a family, those of the flags first.
    pub(crate) fn of_family(&self, family: Family) -> impl Iterator<Item = &Network> {
        let is_configured = self.primary.family == family
            || self.secondary.is_some_and(|network| network.family == family);
        self.networks().filter(move |network| is_configured && network.family == family)
    }

    pub(crate) fn ports(&self) -> PortRange {
        self.ports
    }

    fn networks(&self) -> impl Iterator<Item = &Network> {
        core::iter::once(&self.primary).chain(&self.secondary).chain(&self.more)
    }
}

/// The name of a family in `ipFamilies`.
pub(crate) fn family_name(family: Family) -> &'static str {
    match family {
        Family::V4 => "IPv4",
        Family::V6 => "IPv6",
    }
}

/// The text is not a network.
struct InvalidCidr;

impl Network {
    fn parse(text: &str) -> Result<Result<Self, String>, InvalidCidr> {
        let cidr = CidrText::parse(text).map_err(|_| InvalidCidr)?;
        if cidr.ip().is_mapped() {
            return Err(InvalidCidr);
        }
        let (base, length) = (number(cidr.network_addr()), cidr.prefix_len());
        let family = cidr.family();
        if family == Family::V6 && length < MIN_PREFIX_LEN_V6 {
            return Ok(Err(format!(
                "shortest allowed prefix length for service CIDR is {MIN_PREFIX_LEN_V6}, got {length}"
            )));
        }
        Ok(Ok(Self { family, base, length }))
    }

    /// The number of addresses of the prefix.
    fn size(&self) -> u128 {
        // At most 64 bits are left by an IPv6 prefix, and 32 by an IPv4 one.
        1_u128.checked_shl(u32::from(self.family.width() - self.length)).unwrap_or(u128::MAX)
    }

    /// The first and the last address that a Service may have: not the network itself, and not
    /// the broadcast address of an IPv4 network. The first is greater than the last if there is none.
    fn hosts(&self) -> (u128, u128) {
        let last = self.base + (self.size() - 1);
        match self.family {
            Family::V4 => (self.base + 1, last.saturating_sub(1)),
            Family::V6 => (self.base.saturating_add(1), last),
        }
    }

    /// Whether a Service may have this address.
    pub(crate) fn contains(&self, ip: IpAddr) -> bool {
        let (first, last) = self.hosts();
        Family::of(ip) == self.family && (first..=last).contains(&number(ip))
    }

    /// The bands to choose from: the lower part is reserved for Services that name an address, as long as possible.
    pub(crate) fn bands(&self) -> [Band; 2] {
        const MIN_RESERVED: u128 = 16;
        let (first, last) = self.hosts();
        let size = self.size();
        let reserved = if size <= MIN_RESERVED { 0 } else { (size / 16).clamp(MIN_RESERVED, 256) };
        Band::above_and_below(first, last, reserved)
    }

    /// The address of a number.
    pub(crate) fn address(&self, number: u128) -> IpAddr {
        match self.family {
            Family::V4 => Ipv4Addr::from_bits(u32::try_from(number).unwrap_or(u32::MAX)).into(),
            Family::V6 => Ipv6Addr::from_bits(number).into(),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address(self.base), self.length)
    }
}

impl PortRange {
    /// The port, if it is in the range.
    pub(crate) fn find(&self, number: i64) -> Option<u16> {
        let port = u16::try_from(number).ok()?;
        (self.first..=self.last).contains(&port).then_some(port)
    }

    /// The bands to choose from: the lower part is reserved for Services that name a port, as long as possible.
    pub(crate) fn bands(&self) -> [Band; 2] {
        const MIN_RESERVED: u128 = 16;
        let size = u128::from(self.last - self.first) + 1;
        let reserved = if size <= MIN_RESERVED { 0 } else { (size / 32).clamp(MIN_RESERVED, 128) };
        Band::above_and_below(self.first.into(), self.last.into(), reserved)
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

/// An address as a number.
fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => ip.to_bits().into(),
        IpAddr::V6(ip) => ip.to_bits(),
    }
}
