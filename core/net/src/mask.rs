//! Network masks.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Clears the bits beyond the first `len`. A length of the address's width or more clears none.
pub(crate) fn network(addr: IpAddr, len: u8) -> IpAddr {
    match addr {
        IpAddr::V4(v4) => {
            let host = u32::MAX.checked_shr(len.into()).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & !host))
        }
        IpAddr::V6(v6) => {
            let host = u128::MAX.checked_shr(len.into()).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !host))
        }
    }
}
