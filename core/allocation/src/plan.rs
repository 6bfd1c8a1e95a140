//! Allocation plan: what storing a Service allocates and releases.

use crate::allocations::ServiceAllocations;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;

/// What is allocated and released in the commit that stores or deletes a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Addresses to allocate, which must be free.
    pub take_addresses: Vec<IpAddr>,
    /// Addresses to release.
    pub give_addresses: Vec<IpAddr>,
    /// Node ports to allocate, with their protocols.
    pub take_ports: Vec<(u16, String)>,
    /// Node ports to release, with their protocols.
    pub give_ports: Vec<(u16, String)>,
    /// Node ports that must be free for any protocol: a number belongs to one Service.
    pub take_numbers: Vec<u16>,
    /// Node ports that the Service no longer has for any protocol.
    pub give_numbers: Vec<u16>,
    /// Those of `take_addresses` that the Service did not name: if one is allocated meanwhile, a new
    /// plan chooses another.
    pub chosen_addresses: Vec<IpAddr>,
    /// Those of `take_numbers` that the Service did not name.
    pub chosen_ports: Vec<u16>,
}

impl Plan {
    /// Whether nothing is allocated or released.
    pub fn is_empty(&self) -> bool {
        self.take_addresses.is_empty()
            && self.give_addresses.is_empty()
            && self.take_ports.is_empty()
            && self.give_ports.is_empty()
    }

    /// Adds the difference between two states.
    pub(crate) fn step(&mut self, before: &ServiceAllocations, after: &ServiceAllocations) {
        fn without<T: Ord + Clone>(all: &BTreeSet<T>, those: &BTreeSet<T>) -> Vec<T> {
            all.difference(those).cloned().collect()
        }
        self.take_addresses = without(&after.addresses, &before.addresses);
        self.give_addresses = without(&before.addresses, &after.addresses);
        self.take_ports = without(&after.ports, &before.ports);
        self.give_ports = without(&before.ports, &after.ports);
        self.take_numbers = without(&after.numbers(), &before.numbers());
        self.give_numbers = without(&before.numbers(), &after.numbers());
    }
}
