//! Allocation of cluster IPs and node ports for Services, and of pod CIDRs for nodes.
//!
//! Nothing is reserved here. The allocations of a Service can be derived from the Service itself, so a plan
//! is the difference between those of the stored one and those of the new one. Whoever
//! stores the Service applies the plan in the same commit.
//!
//! ```
//! use ratchet_allocation::{Ranges, Taken, plan};
//! use ratchet_object::{Limits, decode};
//! use std::net::IpAddr;
//!
//! struct AllFree;
//! impl Taken for AllFree {
//!     fn address(&self, _: IpAddr) -> bool {
//!         false
//!     }
//!     fn port(&self, _: u16, _: &str) -> bool {
//!         false
//!     }
//! }
//!
//! let text = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: ClusterIP, ports: [{port: 80}]}}";
//! let mut service = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
//! let ranges = Ranges::new("10.96.0.0/16", None, (30000, 32767)).unwrap();
//! let plan = plan(&mut service, None, &ranges, &AllFree, &mut |_| 0).unwrap();
//! assert_eq!(plan.take_addresses.len(), 1);
//! assert_eq!(service.text_at(&["spec", "clusterIP"]), plan.take_addresses[0].to_string());
//! ```
#![no_std]
extern crate alloc;

mod addresses;
mod allocations;
mod choose;
mod error;
mod families;
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

pub use error::AllocationError;
pub use node_ranges::{MaskSizes, NodeRanges};
pub use objects::{ip_address, ip_name, service_cidr};
pub use plan::Plan;
pub use planner::{draft, plan, release};
pub use prepare::prepare;
pub use ranges::Ranges;
pub use taken::Taken;
