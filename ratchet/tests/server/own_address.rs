//! An address of this machine that endpoints may have.

use std::net::UdpSocket;

/// An address that is not of the loopback, which endpoints must not have; none without a network.
pub(crate) fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent: only the way to this address is looked up.
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then(|| address.to_string())
}
