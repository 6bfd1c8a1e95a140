//! The CIDR library: `cidr()` and the functions of `net.CIDR`, on the strict prefix parser.

use super::arguments::{opaque, text};
use super::ip::{self, Ip};
use super::{Context, Cost, Library, Overload, size_of, tenths};
use crate::{EvalError, Opaque, Value};
use alloc::string::{String, ToString};
use core::any::Any;
use ratchet_net::{Quoted, StrictPrefix, strict_prefix};

/// A prefix whose address is not IPv4-mapped; it may have host bits.
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

    /// The number of bytes that the prefix length covers.
    fn cost_size(&self) -> u64 {
        u64::from(self.0.bits).div_ceil(8)
    }
}

const PREFACE: &str = "network address parse error during conversion from string: ";

fn parse(text: &str) -> Result<Cidr, String> {
    let prefix = strict_prefix(text).map_err(|error| alloc::format!("{PREFACE}{error}"))?;
    if prefix.is_mapped() {
        return Err(alloc::format!("IPv4-mapped IPv6 address {} is not allowed", Quoted(text)));
    }
    Ok(Cidr(prefix))
}

/// Parses a prefix for an expression, whose error has the preface twice.
fn parse_or_fault(text: &str) -> Result<Cidr, EvalError> {
    parse(text).map_err(|error| EvalError::new(alloc::format!("{PREFACE}{error}")))
}

fn cidr<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    parse_or_fault(text(arguments, 0)?).map(Value::opaque)
}

fn is_cidr<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(parse(text(arguments, 0)?).is_ok().into())
}

fn to_text<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(prefix.to_string().into())
}

fn contains_ip<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    let Ip(addr) = opaque(arguments, 1)?;
    Ok(prefix.contains(*addr).into())
}

fn contains_ip_text<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    // The API server does not report what is wrong with the text here.
    let Ip(addr) = ip::parse(text(arguments, 1)?).map_err(|_| EvalError::no_such_overload())?;
    Ok(prefix.contains(addr).into())
}

fn contains_cidr<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    let Cidr(other) = opaque(arguments, 1)?;
    Ok(prefix.contains_prefix(*other).into())
}

fn contains_cidr_text<'t>(
    _: &Context<'_>,
    arguments: &[Value<'t>],
) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    let Cidr(other) = parse_or_fault(text(arguments, 1)?)?;
    Ok(prefix.contains_prefix(other).into())
}

fn address<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(Value::opaque(Ip(prefix.addr)))
}

fn length<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(Value::Int(prefix.bits.into()))
}

fn masked<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Cidr(prefix) = opaque(arguments, 0)?;
    Ok(Value::opaque(Cidr(prefix.masked())))
}

/// The cost of comparing the prefix's bytes with as many of the address.
fn compare_cost(arguments: &[Value<'_>]) -> u64 {
    tenths(size_of(arguments, 0), 2)
}

/// The cost of masking a prefix first and comparing the lengths too.
fn compare_prefixes_cost(arguments: &[Value<'_>]) -> u64 {
    compare_cost(arguments) + tenths(size_of(arguments, 0), 1) + 1
}

fn parse_cost(arguments: &[Value<'_>]) -> u64 {
    tenths(size_of(arguments, 1), 1)
}

/// Kubernetes' CIDR library.
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
            cost: Cost(|arguments, _| compare_cost(arguments) + parse_cost(arguments)),
        },
        Overload {
            id: "cidr_contains_ip_ip",
            signature: "net.CIDR.containsIP(net.IP): bool",
            call: contains_ip,
            cost: Cost(|arguments, _| compare_cost(arguments)),
        },
        Overload {
            id: "cidr_contains_cidr_string",
            signature: "net.CIDR.containsCIDR(string): bool",
            call: contains_cidr_text,
            cost: Cost(|arguments, _| compare_prefixes_cost(arguments) + parse_cost(arguments)),
        },
        Overload {
            id: "cidr_contains_cidr",
            signature: "net.CIDR.containsCIDR(net.CIDR): bool",
            call: contains_cidr,
            cost: Cost(|arguments, _| compare_prefixes_cost(arguments)),
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
