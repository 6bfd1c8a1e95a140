//! `Sample`, a generated value with its known fault.

use proptest::prelude::*;
use proptest::sample::select;
use std::net::{Ipv4Addr, Ipv6Addr};

/// A string, its fault, and its canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) text: String,
    pub(crate) fault: Fault,
    /// Its canonical form, where it has one.
    pub(crate) fixed: Option<String>,
}

/// The fault of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No fault.
    Fine,
    /// Leading zeros, which some parsers read as octal, or an IPv6 group that is too long.
    Zeros,
    /// An IPv4-mapped IPv6 address.
    Mapped,
    /// A CIDR with bits set beyond the prefix length.
    HostBits,
    /// Non-canonical IPv6 (RFC 5952).
    Loose,
    /// An address in a special range.
    Special,
    /// A search name that only relaxed validation accepts.
    Relaxed,
    /// Not parsable.
    Broken,
}

/// The kind of value in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Address,
    Network,
    Interface,
    Search,
    /// A DNS label.
    Label,
    /// The DNS name of a load balancer.
    Balancer,
    /// A name of at least two labels.
    Qualified,
    /// Anything but an address.
    Host,
    /// A Pod Security level.
    Level,
}

/// The IP families that a slot accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Families {
    V4,
    V6,
    Either,
}

impl Sample {
    pub(crate) fn new(text: impl Into<String>, fault: Fault, fixed: Option<String>) -> Self {
        Self { text: text.into(), fault, fixed }
    }

    fn fine(text: impl Into<String>) -> Self {
        Self::new(text, Fault::Fine, None)
    }

    fn broken(text: &str) -> Self {
        Self::new(text, Fault::Broken, None)
    }

    fn with_fault(text: String, fault: Fault, fixed: impl ToString) -> Self {
        Self::new(text, fault, Some(fixed.to_string()))
    }
}

const BROKEN_ADDRESSES: &[&str] = &[
    "foo",
    "10.0.0",
    "10.0.0.256",
    "fe80::1%eth0",
    "[2001:db8::1]",
    " 10.0.0.1",
    "1:2:3",
    "10.0.0.1/24",
    "::ffff:1.2.3",
    "0x0a.0.0.1",
];
const BROKEN_NETWORKS: &[&str] = &[
    "foo",
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "2001:db8::/129",
    "10.0.0/24",
    "fe80::%eth0/64",
    "/24",
    "10.0.0.0/255.0.0.0",
];
const SPECIAL_V4: &[&str] = &["127.0.0.1", "0.0.0.0", "169.254.169.254", "224.0.0.5"];
const SPECIAL_V6: &[&str] = &["::", "::1", "fe80::1", "ff02::1"];

/// Names: kind of value, string, fault.
const NAMES: &[(ValueKind, &str, Fault)] = &[
    (ValueKind::Search, "example.com", Fault::Fine),
    (ValueKind::Search, "svc.cluster.local.", Fault::Fine),
    (ValueKind::Search, "a_b.example.com", Fault::Relaxed),
    (ValueKind::Search, "x.y__z.", Fault::Relaxed),
    (ValueKind::Search, ".", Fault::Relaxed),
    (ValueKind::Search, "Example.com", Fault::Broken),
    (ValueKind::Search, "a..b", Fault::Broken),
    (ValueKind::Search, "-a.example.com", Fault::Broken),
    (ValueKind::Search, "a b.example.com", Fault::Broken),
    (ValueKind::Label, "web-0", Fault::Fine),
    (ValueKind::Label, "Web", Fault::Broken),
    (ValueKind::Label, "a_b", Fault::Broken),
    (ValueKind::Label, "a.b", Fault::Broken),
    (ValueKind::Balancer, "lb.example.com", Fault::Fine),
    (ValueKind::Balancer, "a_b.example.com", Fault::Broken),
    (ValueKind::Balancer, "10.0.0.1", Fault::Broken),
    (ValueKind::Balancer, "010.0.0.1", Fault::Broken),
    (ValueKind::Qualified, "db.example.com", Fault::Fine),
    (ValueKind::Qualified, "db", Fault::Broken),
    (ValueKind::Qualified, "a_b.example.com", Fault::Broken),
    (ValueKind::Host, "shop.example.com", Fault::Fine),
    (ValueKind::Host, "10.0.0.1", Fault::Broken),
    (ValueKind::Host, "2001:DB8::1", Fault::Broken),
    (ValueKind::Level, "baseline", Fault::Fine),
    (ValueKind::Level, "restricted", Fault::Fine),
    (ValueKind::Level, "Baseline", Fault::Broken),
    (ValueKind::Level, "strict", Fault::Broken),
];

/// A strategy for the values of a slot; `only_storable` omits values that could never be stored.
pub(crate) fn sample(
    value_kind: ValueKind,
    families: Families,
    only_storable: bool,
) -> BoxedStrategy<Sample> {
    let strategy = match value_kind {
        ValueKind::Address => {
            let (v4, v6) = (address_v4().boxed(), address_v6().boxed());
            let special = |texts: &'static [&str]| {
                select(texts).prop_map(|text| Sample::new(text, Fault::Special, None)).boxed()
            };
            let (v4, v6) = match only_storable {
                true => (v4, v6),
                false => (
                    prop_oneof![8 => v4, 1 => special(SPECIAL_V4)].boxed(),
                    prop_oneof![8 => v6, 1 => special(SPECIAL_V6)].boxed(),
                ),
            };
            with_broken(of(families, v4, v6), BROKEN_ADDRESSES, only_storable)
        }
        ValueKind::Network => {
            let either = of(families, network_v4().boxed(), network_v6().boxed());
            with_broken(either, BROKEN_NETWORKS, only_storable)
        }
        ValueKind::Interface => with_broken(interface().boxed(), BROKEN_NETWORKS, only_storable),
        _ => select(names(value_kind))
            .prop_filter("never storable", move |sample| {
                !only_storable || sample.fault != Fault::Broken
            })
            .boxed(),
    };
    strategy.boxed()
}

/// One fixed value of each fault, for the sweep.
pub(crate) fn one_of_each(value_kind: ValueKind, families: Families) -> Vec<Sample> {
    let with_fault = |text: &str, fault, fixed: &str| Sample::with_fault(text.into(), fault, fixed);
    let v4_addresses = || {
        vec![
            Sample::fine("10.1.2.3"),
            with_fault("010.1.2.3", Fault::Zeros, "10.1.2.3"),
            with_fault("::ffff:10.1.2.3", Fault::Mapped, "10.1.2.3"),
            Sample::new("169.254.169.254", Fault::Special, None),
        ]
    };
    let v6_addresses = || {
        vec![
            Sample::fine("2001:db8::1"),
            with_fault("2001:0000db8::1", Fault::Zeros, "2001:db8::1"),
            with_fault("2001:DB8::1", Fault::Loose, "2001:db8::1"),
            Sample::new("fe80::1", Fault::Special, None),
        ]
    };
    let v4_networks = || {
        vec![
            Sample::fine("10.1.0.0/16"),
            with_fault("10.001.0.0/16", Fault::Zeros, "10.1.0.0/16"),
            with_fault("::ffff:10.1.0.0/112", Fault::Mapped, "10.1.0.0/16"),
            with_fault("10.1.0.9/16", Fault::HostBits, "10.1.0.0/16"),
        ]
    };
    let v6_networks = || {
        vec![
            Sample::fine("2001:db8::/64"),
            with_fault("2001:db8::/064", Fault::Zeros, "2001:db8::/64"),
            with_fault("2001:db8::1/64", Fault::HostBits, "2001:db8::/64"),
            with_fault("2001:DB8::/64", Fault::Loose, "2001:db8::/64"),
        ]
    };
    let pick = |v4: Vec<Sample>, v6: Vec<Sample>| match families {
        Families::V4 => v4,
        Families::V6 => v6,
        Families::Either => [v4, v6].concat(),
    };
    let mut all = match value_kind {
        ValueKind::Address => pick(v4_addresses(), v6_addresses()),
        ValueKind::Network => pick(v4_networks(), v6_networks()),
        ValueKind::Interface => vec![
            Sample::fine("10.1.2.3/16"),
            with_fault("10.1.2.03/16", Fault::Zeros, "10.1.2.3/16"),
            with_fault("2001:DB8::1/64", Fault::Loose, "2001:db8::1/64"),
        ],
        _ => return names(value_kind),
    };
    all.push(Sample::broken("foo"));
    all
}

fn names(value_kind: ValueKind) -> Vec<Sample> {
    let rows = NAMES.iter().filter(|row| row.0 == value_kind);
    rows.map(|(_, text, fault)| Sample::new(*text, *fault, None)).collect()
}

type Samples = BoxedStrategy<Sample>;

fn of(families: Families, v4: Samples, v6: Samples) -> Samples {
    match families {
        Families::V4 => v4,
        Families::V6 => v6,
        Families::Either => prop_oneof![3 => v4, 2 => v6].boxed(),
    }
}

fn with_broken(good: Samples, broken: &'static [&'static str], only_storable: bool) -> Samples {
    match only_storable {
        true => good,
        false => prop_oneof![9 => good, 1 => select(broken).prop_map(Sample::broken)].boxed(),
    }
}

fn address_v4() -> impl Strategy<Value = Sample> {
    (any::<[u8; 3]>(), 0..6_u8).prop_map(|([b, c, d], variant)| {
        let plain = Ipv4Addr::new(10, b, c, d);
        match variant {
            0 => Sample::with_fault(format!("010.{b}.{c}.{d}"), Fault::Zeros, plain),
            1 => Sample::with_fault(format!("10.{b}.{c}.0{d}"), Fault::Zeros, plain),
            2 => Sample::with_fault(format!("::ffff:{plain}"), Fault::Mapped, plain),
            3 => {
                let text = format!("::FFFF:{:x}:{:x}", 0x0a00 | u16::from(b), u16::from(d));
                Sample::with_fault(text, Fault::Mapped, Ipv4Addr::new(10, b, 0, d))
            }
            _ => Sample::fine(plain.to_string()),
        }
    })
}

fn address_v6() -> impl Strategy<Value = Sample> {
    (prop::array::uniform3(prop_oneof![Just(0), any::<u16>()]), 0..6_u8).prop_map(
        |([x, y, z], variant)| {
            let plain = Ipv6Addr::new(0x2001, 0xdb8, x, 0, 0, y, 0, z);
            let full = plain.segments().map(|group| format!("{group:04x}")).join(":");
            match variant {
                0 => Sample::with_fault(plain.to_string().to_uppercase(), Fault::Loose, plain),
                1 => Sample::with_fault(full, Fault::Loose, plain),
                2 => Sample::with_fault(format!("0{full}"), Fault::Zeros, plain),
                _ => Sample::fine(plain.to_string()),
            }
        },
    )
}

/// Subnets of 10.0.0.0/8, so that any of them can be an exception of that block.
fn network_v4() -> impl Strategy<Value = Sample> {
    (any::<[u8; 3]>(), 9..=31_u32, 0..6_u8).prop_map(|([b, c, d], len, variant)| {
        let addr = Ipv4Addr::new(10, b, c, d).to_bits();
        let plain = Ipv4Addr::from_bits(addr & !(u32::MAX >> len));
        let network = format!("{plain}/{len}");
        match variant {
            0 => Sample::with_fault(format!("0{network}"), Fault::Zeros, network),
            1 => Sample::with_fault(format!("{plain}/0{len}"), Fault::Zeros, network),
            2 => Sample::with_fault(format!("::ffff:{plain}/{}", len + 96), Fault::Mapped, network),
            3 => {
                let host = Ipv4Addr::from_bits(addr | 1);
                Sample::with_fault(format!("{host}/{len}"), Fault::HostBits, network)
            }
            _ => Sample::fine(network),
        }
    })
}

fn network_v6() -> impl Strategy<Value = Sample> {
    (any::<[u16; 2]>(), 33..=127_u32, 0..6_u8).prop_map(|([x, y], len, variant)| {
        let addr = Ipv6Addr::new(0x2001, 0xdb8, x, y, 0, 0, 0, 0).to_bits();
        let plain = Ipv6Addr::from_bits(addr & !(u128::MAX >> len));
        let network = format!("{plain}/{len}");
        match variant {
            0 => Sample::with_fault(format!("{plain}/0{len}"), Fault::Zeros, network),
            1 => Sample::with_fault(network.to_uppercase(), Fault::Loose, network),
            2 => {
                let host = Ipv6Addr::from_bits(addr | 1);
                Sample::with_fault(format!("{host}/{len}"), Fault::HostBits, network)
            }
            _ => Sample::fine(network),
        }
    })
}

fn interface() -> impl Strategy<Value = Sample> {
    let v4 = (address_v4(), 1..=32_u8).prop_map(|(address, len)| {
        let written = if address.fault == Fault::Mapped { len + 96 } else { len };
        with_length(address, written, len)
    });
    let v6 = (address_v6(), 33..=128_u8).prop_map(|(address, len)| with_length(address, len, len));
    prop_oneof![v4, v6]
}

fn with_length(address: Sample, written: u8, len: u8) -> Sample {
    Sample {
        text: format!("{}/{written}", address.text),
        fault: address.fault,
        fixed: address.fixed.map(|fixed| format!("{fixed}/{len}")),
    }
}
