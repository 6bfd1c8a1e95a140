//! Allocation plans: what storing a Service allocates and releases.

use crate::allocations::ServiceAllocations;
use crate::fault::Fault;
use crate::ports::{self, Numbers};
use crate::ranges::Ranges;
use crate::spec::Spec;
use crate::{addresses, families, validate};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_object::Node;

/// The allocations of other Services. Those of the Service itself may be included or not.
pub trait Taken {
    /// Whether an address is allocated.
    fn address(&self, ip: IpAddr) -> bool;
    /// Whether a node port is allocated. One Service may use a number for several protocols;
    /// two Services may not share one, so all protocols are checked.
    fn port(&self, port: u16, protocol: &str) -> bool;
}

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
    fn step(&mut self, before: &ServiceAllocations, after: &ServiceAllocations) {
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

/// Allocates what a Service lacks and writes it into the Service, which [`crate::prepare`] has
/// prepared and which has been validated. `old` is the stored Service, if there is one; `random` returns
/// a number below its argument. A Service that is refused is left unchanged.
///
/// Chosen values are in canonical form, named ones stay as they are spelled.
pub fn plan(
    service: &mut Node<'static>,
    old: Option<&Node<'_>>,
    ranges: &Ranges,
    taken: &dyn Taken,
    random: &mut dyn FnMut(u64) -> u64,
) -> Result<Plan, Fault> {
    let mut spec = Spec::from_service(service);
    let old = old.map(|old| Spec::stored(old, ranges));
    let old = old.as_ref();
    let before = old.map(ServiceAllocations::of).unwrap_or_default();
    let mut plan = Plan::default();
    if !spec.is_external_name() && !families::is_unchanged(&spec, old) {
        families::complete(&mut spec, old, ranges)?;
        let name = service.metadata().name();
        addresses::allocate(&mut spec, name, &before, ranges, taken, random, &mut plan)?;
    }
    let mut numbers = Numbers::new(ranges.ports(), taken, random, before.numbers());
    ports::allocate(&mut spec, old, &mut numbers)?;
    plan.chosen_ports = numbers.chosen;
    validate::check(&spec, old)?;
    plan.step(&before, &ServiceAllocations::of(&spec));
    spec.write(service);
    Ok(plan)
}

/// The plan for the deletion of a Service.
pub fn release(service: &Node<'_>) -> Plan {
    let mut spec = Spec::from_service(service);
    spec.follow_single();
    let mut plan = Plan::default();
    plan.step(&ServiceAllocations::of(&spec), &ServiceAllocations::default());
    plan
}
