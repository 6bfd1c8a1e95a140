//! Special address classes: loopback, link-local, multicast and unspecified addresses.
//!
//! An IPv4-mapped address is classified as its IPv4 address.

use core::net::IpAddr;

/// `0.0.0.0` or `::`.
#[must_use]
pub const fn is_unspecified(addr: IpAddr) -> bool {
    addr.to_canonical().is_unspecified()
}

/// `127.0.0.0/8` or `::1`.
#[must_use]
pub const fn is_loopback(addr: IpAddr) -> bool {
    addr.to_canonical().is_loopback()
}

/// `169.254.0.0/16` or `fe80::/10`.
#[must_use]
pub const fn is_link_local_unicast(addr: IpAddr) -> bool {
    match addr.to_canonical() {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    }
}

/// `224.0.0.0/24`, or IPv6 multicast of link-local scope whatever its flags (`ff02`, `ff12`, …).
#[must_use]
pub const fn is_link_local_multicast(addr: IpAddr) -> bool {
    match addr.to_canonical() {
        IpAddr::V4(v4) => matches!(v4.octets(), [224, 0, 0, _]),
        IpAddr::V6(v6) => v6.to_bits() >> 112 & 0xff0f == 0xff02,
    }
}

/// `224.0.0.0/4` or `ff00::/8`.
#[must_use]
pub const fn is_multicast(addr: IpAddr) -> bool {
    addr.to_canonical().is_multicast()
}

/// None of the above, and not the IPv4 broadcast address. Private addresses are global here.
#[must_use]
pub const fn is_global_unicast(addr: IpAddr) -> bool {
    let broadcast = match addr.to_canonical() {
        IpAddr::V4(v4) => v4.is_broadcast(),
        IpAddr::V6(_) => false,
    };
    !(broadcast
        || is_unspecified(addr)
        || is_loopback(addr)
        || is_multicast(addr)
        || is_link_local_unicast(addr))
}
