//! Allocations of other Services, as a door knows them.

use core::net::IpAddr;

/// The allocations of other Services. Those of the Service itself may be included or not.
pub trait Taken {
    /// Whether an address is allocated.
    fn address(&self, ip: IpAddr) -> bool;
    /// Whether a node port is allocated. One Service may use a number for several protocols;
    /// two Services may not share one, so all protocols are checked.
    fn port(&self, port: u16, protocol: &str) -> bool;
}
