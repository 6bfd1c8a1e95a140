//! Canonical text of addresses, with or without a prefix length.

use core::{
    fmt::{self, Write},
    net::IpAddr,
};

/// The canonical text of an address: RFC 5952, and an IPv4-mapped address as plain IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canonical(IpAddr);

impl Canonical {
    /// The canonical text of this address.
    #[must_use]
    pub const fn of(addr: IpAddr) -> Self {
        Self(addr.to_canonical())
    }

    /// Writes the text into a buffer, without allocation.
    pub fn as_text<'a>(&self, buf: &'a mut TextBuf) -> &'a str {
        buf.fill(self)
    }
}

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An address, a slash and a prefix length.
///
/// The length has a sign because the canonical form of an interface address can have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddrWithLength {
    addr: IpAddr,
    length: i16,
}

impl AddrWithLength {
    /// The address is written as it is: a mapped one stays mapped.
    pub(crate) const fn new(addr: IpAddr, length: i16) -> Self {
        Self { addr, length }
    }

    /// Writes the text into a buffer, without allocation.
    pub fn as_text<'a>(&self, buf: &'a mut TextBuf) -> &'a str {
        buf.fill(self)
    }
}

impl fmt::Display for AddrWithLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.addr, self.length)
    }
}

/// A buffer for the longest text of this module: eight groups, a slash, three digits.
#[derive(Clone, Copy, Debug)]
pub struct TextBuf {
    bytes: [u8; 48],
    len: usize,
}

impl TextBuf {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; 48], len: 0 }
    }

    fn fill(&mut self, text: &impl fmt::Display) -> &str {
        self.len = 0;
        // The texts of this module fit; one that were too long would be truncated, not lost.
        let _ = write!(self, "{text}");
        self.bytes.get(..self.len).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Default for TextBuf {
    fn default() -> Self {
        Self::new()
    }
}

impl Write for TextBuf {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
