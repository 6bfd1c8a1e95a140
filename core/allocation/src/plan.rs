//! What a Service takes and gives back when it is stored.

use crate::fault::Fault;
use crate::held::Held;
use crate::ports::{self, Numbers};
use crate::ranges::Ranges;
use crate::spec::Spec;
use crate::{addresses, families, settled};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_object::Node;

/// What other Services have. What the Service itself has already may be among it or not.
pub trait Taken {
    /// Whether somebody has this address.
    fn address(&self, ip: IpAddr) -> bool;
    /// Whether somebody has this node port. One Service may use a number for several protocols;
    /// two Services may not share one, so all protocols are asked about.
    fn port(&self, port: u16, protocol: &str) -> bool;
}

/// What is to be taken and given back in the commit that stores or deletes a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Addresses that nobody may have yet.
    pub take_addresses: Vec<IpAddr>,
    /// Addresses that are free from then on.
    pub give_addresses: Vec<IpAddr>,
    /// Node ports with their protocols.
    pub take_ports: Vec<(u16, String)>,
    /// Node ports with their protocols that are free from then on.
    pub give_ports: Vec<(u16, String)>,
    /// Node ports that nobody may have yet, for any protocol: a number belongs to one Service.
    pub take_numbers: Vec<u16>,
    /// Node ports that the Service no longer has for any protocol.
    pub give_numbers: Vec<u16>,
    /// Those of `take_addresses` that the Service did not name: if one is gone meanwhile, another
    /// plan chooses another.
    pub chosen_addresses: Vec<IpAddr>,
    /// Those of `take_numbers` that the Service did not name.
    pub chosen_ports: Vec<u16>,
}

impl Plan {
    /// Whether nothing is taken or given back.
    pub fn is_empty(&self) -> bool {
        self.take_addresses.is_empty()
            && self.give_addresses.is_empty()
            && self.take_ports.is_empty()
            && self.give_ports.is_empty()
    }

    /// Notes the way from one state to the other.
    fn step(&mut self, before: &Held, after: &Held) {
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

/// Chooses what a Service lacks and writes it into the Service, which [`crate::prepare`] has
/// prepared and which has been judged. `old` is the stored Service, if there is one; `random` gives
/// a number below its argument. A Service that is refused is left as it was.
///
/// What is chosen is written in canonical form, what the Service names stays as it is spelt.
pub fn plan(
    service: &mut Node<'static>,
    old: Option<&Node<'_>>,
    ranges: &Ranges,
    taken: &dyn Taken,
    random: &mut dyn FnMut(u64) -> u64,
) -> Result<Plan, Fault> {
    let mut spec = Spec::read(service);
    let old = old.map(|old| Spec::stored(old, ranges));
    let old = old.as_ref();
    let before = old.map(Held::by).unwrap_or_default();
    let mut plan = Plan::default();
    if !spec.is_external_name() && !families::is_settled(&spec, old) {
        families::complete(&mut spec, old, ranges)?;
        let name = service.text_at(&["metadata", "name"]);
        addresses::fill(&mut spec, name, &before, ranges, taken, random, &mut plan)?;
    }
    let mut numbers = Numbers::new(ranges.ports(), taken, random, before.numbers());
    ports::fill(&mut spec, old, &mut numbers)?;
    plan.chosen_ports = numbers.chosen;
    settled::check(&spec, old)?;
    plan.step(&before, &Held::by(&spec));
    spec.write(service);
    Ok(plan)
}

/// What a deleted Service gives back.
pub fn release(service: &Node<'_>) -> Plan {
    let mut spec = Spec::read(service);
    spec.follow_single();
    let mut plan = Plan::default();
    plan.step(&Held::by(&spec), &Held::default());
    plan
}
