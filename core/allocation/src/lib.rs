//! Allocation of cluster IPs and node ports for Services, and of pod CIDRs for nodes.
//!
//! Nothing is reserved here. The allocations of a Service can be derived from the Service itself, so a plan
//! is the difference between those of the stored one and those of the new one. Whoever
//! stores the Service applies the plan in the same commit.
#![no_std]
extern crate alloc;

mod addresses;
mod allocations;
mod choose;
mod families;
mod fault;
mod node_ranges;
mod objects;
mod plan;
mod planner;
mod ports;
mod prepare;
mod ranges;
mod spec;
mod subnets;
mod taken;
mod validate;

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
pub use plan::Plan;
pub use planner::{plan, release};
pub use prepare::prepare;
pub use ranges::Ranges;
pub use taken::Taken;
