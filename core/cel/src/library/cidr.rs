//! `cidr()` and what can be asked of a network: `net.CIDR`, on the strict reader of prefixes.

use super::arguments::{opaque, text};
use super::ip::{self, Ip};
use super::{Context, Cost, Library, Overload, size_of, tenths};
use crate::{Fault, Opaque, Value};
use alloc::string::{String, ToString};
use core::any::Any;
use ratchet_net::{Quoted, StrictPrefix, strict_prefix};

/// A network whose address is not mapped; it may have host bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr(pub StrictPrefix);

impl Opaque for Cidr {
    fn type_name(&self) -> &'static str {
        "net.CIDR"
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    /// How many bytes the network's own bits fill.
    fn cost_size(&self) -> u64 {
        u64::from(self.0.bits).div_ceil(8)
    }
}

const PREFACE: &str = "network address parse error during conversion from string: ";

fn read(text: &str) -> Result<Cidr, String> {
    let prefix = strict_prefix(text).map_err(|why| alloc::format!("{PREFACE}{why}"))?;
    if prefix.is_mapped() {
        return Err(alloc::format!("IPv4-mapped IPv6 address {} is not allowed", Quoted(text)));
    }
    Ok(Cidr(prefix))
}

/// Reads a network for an expression, which is told twice what it was that failed.
fn read_or_fail(text: &str) -> Result<Cidr, Fault> {
    read(text).map_err(|why| Fault::new(alloc::format!("{PREFACE}{why}")))
}

fn cidr<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    read_or_fail(text(arguments, 0)?).map(Value::opaque)
}

fn is_cidr<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    Ok(read(text(arguments, 0)?).is_ok().into())
}

fn to_text<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(prefix.to_string().into())
}

fn contains_ip<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    let Ip(addr) = opaque(arguments, 1)?;
    Ok(prefix.contains(*addr).into())
}

fn contains_ip_text<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    // The API does not tell what is wrong with the text here.
    let Ip(addr) = ip::read(text(arguments, 1)?).map_err(|_| Fault::no_such_overload())?;
    Ok(prefix.contains(addr).into())
}

fn contains_cidr<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    let Cidr(other) = opaque(arguments, 1)?;
    Ok(prefix.contains_prefix(*other).into())
}

fn contains_cidr_text<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    let Cidr(other) = read_or_fail(text(arguments, 1)?)?;
    Ok(prefix.contains_prefix(other).into())
}

fn address<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(Value::opaque(Ip(prefix.addr)))
}

fn length<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(Value::Int(prefix.bits.into()))
}

fn masked<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(Value::opaque(Cidr(prefix.masked())))
}

/// The network's bytes are compared with as many of the address.
fn comparing(arguments: &[Value<'_>]) -> u64 {
    tenths(size_of(arguments, 0), 2)
}

/// A network is masked first, and the lengths are compared too.
fn comparing_networks(arguments: &[Value<'_>]) -> u64 {
    comparing(arguments) + tenths(size_of(arguments, 0), 1) + 1
}

fn reading(arguments: &[Value<'_>]) -> u64 {
    tenths(size_of(arguments, 1), 1)
}

/// Kubernetes' functions of networks.
pub(super) static CIDR: Library = Library {
    name: "kubernetes.net.cidr",
    since: (1, 30),
    overloads: &[
        Overload {
            id: "string_to_cidr",
            signature: "cidr(string): net.CIDR",
            call: cidr,
            cost: Cost::SCAN,
        },
        Overload {
            id: "is_cidr",
            signature: "isCIDR(string): bool",
            call: is_cidr,
            cost: Cost::SCAN,
        },
        Overload {
            id: "cidr_to_string",
            signature: "string(net.CIDR): string",
            call: to_text,
            cost: Cost::ONE,
        },
        Overload {
            id: "cidr_contains_ip_string",
            signature: "net.CIDR.containsIP(string): bool",
            call: contains_ip_text,
            cost: Cost(|arguments, _| comparing(arguments) + reading(arguments)),
        },
        Overload {
            id: "cidr_contains_ip_ip",
            signature: "net.CIDR.containsIP(net.IP): bool",
            call: contains_ip,
            cost: Cost(|arguments, _| comparing(arguments)),
        },
        Overload {
            id: "cidr_contains_cidr_string",
            signature: "net.CIDR.containsCIDR(string): bool",
            call: contains_cidr_text,
            cost: Cost(|arguments, _| comparing_networks(arguments) + reading(arguments)),
        },
        Overload {
            id: "cidr_contains_cidr",
            signature: "net.CIDR.containsCIDR(net.CIDR): bool",
            call: contains_cidr,
            cost: Cost(|arguments, _| comparing_networks(arguments)),
        },
        Overload {
            id: "cidr_ip",
            signature: "net.CIDR.ip(): net.IP",
            call: address,
            cost: Cost::ONE,
        },
        Overload {
            id: "cidr_prefix_length",
            signature: "net.CIDR.prefixLength(): int",
            call: length,
            cost: Cost::ONE,
        },
        Overload {
            id: "cidr_masked",
            signature: "net.CIDR.masked(): net.CIDR",
            call: masked,
            cost: Cost::ONE,
        },
    ],
    constants: &[],
    types: &["net.CIDR"],
};
