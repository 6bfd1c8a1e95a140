//! Parsing of IP addresses, CIDR networks and DNS names, strictly and sloppily.
//!
//! There is one parser of addresses with two interfaces. The *sloppy* one ([`IpText`], [`CidrText`])
//! accepts what old software has always accepted, leading zeros included, and keeps the reasons why
//! the spelling is not good. The *strict* one ([`strict_addr`], [`strict_prefix`]) accepts only what
//! cannot be misread; its errors describe the first fault that the parser reported.
//!
//! Nothing here allocates, panics or depends on anything but its argument.
//!
//! ```
//! use ratchet_net::{IpText, strict_addr};
//!
//! let sloppy = IpText::parse("010.0.0.1").unwrap();
//! assert_eq!(sloppy.addr().to_string(), "10.0.0.1");
//! assert!(strict_addr("010.0.0.1").is_err());
//! assert!(strict_addr("10.0.0.1").is_ok());
//! ```

#![no_std]

mod canonical;
mod cidr;
pub mod class;
mod colons;
pub mod dns;
mod dotted;
mod family;
mod faults;
mod ip;
mod mask;
mod quoted;
mod strict_addr;
mod strict_error;
mod strict_prefix;

pub use canonical::{AddrWithLength, Canonical, TextBuf};
pub use cidr::{CidrFault, CidrText, NotACidr};
pub use family::Family;
pub use ip::{IpFault, IpText, NotAnIp};
pub use quoted::Quoted;
pub use strict_addr::{StrictAddr, strict_addr};
pub use strict_error::{AddrError, AddrReason, PrefixError, PrefixReason};
pub use strict_prefix::{StrictPrefix, strict_prefix};
