//! Which cluster IPs and node ports a Service gets: a plan, made from what is taken.
//!
//! Nothing is reserved here. What a Service holds can be read from the Service itself, so a plan
//! is the difference between what the stored one holds and what the new one will hold. Whoever
//! stores the Service takes and gives back in the same commit.
#![no_std]
extern crate alloc;

mod addresses;
mod choose;
mod families;
mod fault;
mod held;
mod node_ranges;
mod objects;
mod plan;
mod ports;
mod prepare;
mod ranges;
mod settled;
mod spec;
mod subnets;

#[cfg(test)]
mod address_tests;
#[cfg(test)]
mod node_tests;
#[cfg(test)]
mod port_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod type_tests;

pub use fault::Fault;
pub use node_ranges::{MaskSizes, NodeRanges};
pub use objects::{ip_address, ip_name, service_cidr};
pub use plan::{Plan, Taken, plan, release};
pub use prepare::prepare;
pub use ranges::Ranges;
