//! The IP library: `ip()` and the functions of `net.IP`, on the strict address parser.

use super::arguments::{opaque, text};
use super::{Context, Cost, Library, Overload, size_of, tenths};
use crate::{EvalError, Opaque, Value};
use alloc::string::{String, ToString};
use core::any::Any;
use core::net::IpAddr;
use ratchet_net::{Canonical, Quoted, class, strict_addr};

/// An address that is neither IPv4-mapped nor has a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(pub IpAddr);

/// The CEL type name of addresses.
pub(super) const IP_TYPE: &str = "net.IP";

impl Opaque for Ip {
    fn type_name(&self) -> &'static str {
        IP_TYPE
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    /// The number of bytes of the address.
    fn cost_size(&self) -> u64 {
        match self.0 {
            IpAddr::V4(_) => 4,
            IpAddr::V6(_) => 16,
        }
    }
}

/// Parses an address strictly, though not only in its canonical form.
pub(super) fn parse(text: &str) -> Result<Ip, String> {
    let quoted = Quoted(text);
    let parsed = strict_addr(text).map_err(|error| {
        alloc::format!("IP Address {quoted} parse error during conversion from string: {error}")
    })?;
    if parsed.zone.is_some() {
        return Err(alloc::format!("IP address {quoted} with zone value is not allowed"));
    }
    if parsed.is_mapped() {
        return Err(alloc::format!("IPv4-mapped IPv6 address {quoted} is not allowed"));
    }
    Ok(Ip(parsed.addr))
}

fn ip<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    parse(text(arguments, 0)?).map(Value::opaque).map_err(EvalError::new)
}

fn is_ip<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(parse(text(arguments, 0)?).is_ok().into())
}

fn is_canonical<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let original = text(arguments, 0)?;
    let Ip(addr) = parse(original).map_err(EvalError::new)?;
    Ok((Canonical::of(addr).to_string() == original).into())
}

fn to_text<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Ip(addr) = opaque(arguments, 0)?;
    Ok(Canonical::of(*addr).to_string().into())
}

fn family<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Ip(addr) = opaque(arguments, 0)?;
    Ok(Value::Int(if addr.is_ipv4() { 4 } else { 6 }))
}

fn test_address<'t>(
    arguments: &[Value<'t>],
    predicate: fn(IpAddr) -> bool,
) -> Result<Value<'t>, EvalError> {
    let Ip(addr) = opaque(arguments, 0)?;
    Ok(predicate(*addr).into())
}

/// The cost of parsing a text twice: for the address, and to compare it with its canonical form.
const PARSE_TWICE: Cost = Cost(|arguments, _| tenths(size_of(arguments, 0), 2));

/// Kubernetes' IP library.
pub(super) static IP: Library = Library {
    name: "kubernetes.net.ip",
    since: (1, 30),
    overloads: &[
        Overload {
            id: "string_to_ip",
            signature: "ip(string): net.IP",
            call: ip,
            cost: Cost::SCAN,
        },
        Overload { id: "is_ip", signature: "isIP(string): bool", call: is_ip, cost: Cost::SCAN },
        Overload {
            id: "ip_is_canonical",
            signature: "fn ip.isCanonical(string): bool",
            call: is_canonical,
            cost: PARSE_TWICE,
        },
        Overload {
            id: "ip_to_string",
            signature: "string(net.IP): string",
            call: to_text,
            cost: Cost::ONE,
        },
        Overload {
            id: "ip_family",
            signature: "net.IP.family(): int",
            call: family,
            cost: Cost::ONE,
        },
        Overload {
            id: "ip_is_unspecified",
            signature: "net.IP.isUnspecified(): bool",
            call: |_, arguments| test_address(arguments, class::is_unspecified),
            cost: Cost::ONE,
        },
        Overload {
            id: "ip_is_loopback",
            signature: "net.IP.isLoopback(): bool",
            call: |_, arguments| test_address(arguments, class::is_loopback),
            cost: Cost::ONE,
        },
        Overload {
            id: "ip_is_link_local_multicast",
            signature: "net.IP.isLinkLocalMulticast(): bool",
            call: |_, arguments| test_address(arguments, class::is_link_local_multicast),
            cost: Cost::ONE,
        },
        Overload {
            id: "ip_is_link_local_unicast",
            signature: "net.IP.isLinkLocalUnicast(): bool",
            call: |_, arguments| test_address(arguments, class::is_link_local_unicast),
            cost: Cost::ONE,
        },
        Overload {
            id: "ip_is_global_unicast",
            signature: "net.IP.isGlobalUnicast(): bool",
            call: |_, arguments| test_address(arguments, class::is_global_unicast),
            cost: Cost::ONE,
        },
    ],
    constants: &[],
    types: &[IP_TYPE],
};
