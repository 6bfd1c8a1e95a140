//! An address of this machine that endpoints and nodes may have.

use std::net::{IpAddr, UdpSocket};

/// An address that is not a loopback address; nothing is sent to find it.
pub(crate) fn own_address() -> IpAddr {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let address = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    let address = address.map(|address| address.ip()).ok().filter(|ip| !ip.is_loopback());
    address.expect("this test needs a route and an IPv4 address that is not a loopback address")
}
