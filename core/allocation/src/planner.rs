//! Planner: makes the plans for a Service that is stored or deleted.

use crate::allocations::ServiceAllocations;
use crate::error::AllocationError;
use crate::plan::Plan;
use crate::ports::{self, Numbers};
use crate::ranges::Ranges;
use crate::spec::Spec;
use crate::taken::Taken;
use crate::{addresses, families, validate};
use ratchet_object::Node;

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
) -> Result<Plan, AllocationError> {
    let old = old.map(|old| Spec::stored(old, ranges));
    let (spec, mut plan) = allocate(service, old.as_ref(), ranges, taken, random)?;
    validate::check(&spec, old.as_ref())?;
    let before = old.as_ref().map(ServiceAllocations::of).unwrap_or_default();
    plan.step(&before, &ServiceAllocations::of(&spec));
    spec.write(service);
    Ok(plan)
}

/// Allocates as [`plan`] does for a Service that is yet to be validated: Kubernetes validates what is allocated.
pub fn draft(
    service: &mut Node<'static>,
    old: Option<&Node<'_>>,
    ranges: &Ranges,
    taken: &dyn Taken,
    random: &mut dyn FnMut(u64) -> u64,
) -> Result<(), AllocationError> {
    let old = old.map(|old| Spec::stored(old, ranges));
    let (spec, _) = allocate(service, old.as_ref(), ranges, taken, random)?;
    spec.write(service);
    Ok(())
}

/// The spec of a Service with all its addresses and ports, and those that were chosen.
fn allocate(
    service: &Node<'_>,
    old: Option<&Spec>,
    ranges: &Ranges,
    taken: &dyn Taken,
    random: &mut dyn FnMut(u64) -> u64,
) -> Result<(Spec, Plan), AllocationError> {
    let mut spec = Spec::from_service(service);
    let before = old.map(ServiceAllocations::of).unwrap_or_default();
    let mut plan = Plan::default();
    if !spec.is_external_name() && !families::is_unchanged(&spec, old) {
        families::complete(&mut spec, old, ranges)?;
        let name = service.text_at(&["metadata", "name"]);
        addresses::allocate(&mut spec, name, &before, ranges, taken, random, &mut plan)?;
    }
    let mut numbers = Numbers::new(ranges.ports(), taken, random, before.numbers());
    ports::allocate(&mut spec, old, &mut numbers)?;
    plan.chosen_ports = numbers.chosen;
    Ok((spec, plan))
}

/// The plan for the deletion of a Service.
pub fn release(service: &Node<'_>) -> Plan {
    let mut spec = Spec::from_service(service);
    spec.follow_single();
    let mut plan = Plan::default();
    plan.step(&ServiceAllocations::of(&spec), &ServiceAllocations::default());
    plan
}
