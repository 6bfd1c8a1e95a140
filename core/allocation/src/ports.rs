//! Allocation of node ports: named ones are checked, missing ones are chosen.

use crate::choose::choose;
use crate::error::{AllocationError, invalid};
use crate::ranges::PortRange;
use crate::spec::Spec;
use crate::taken::Taken;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Kubernetes allocates a number to one Service, whatever the protocol.
const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];

/// What a dry run chooses first; nothing can be promised, so it looks for nothing free.
const FIRST_DRY: i64 = 32_769;

const FULL: &str = "range is full";
const ALLOCATED: &str = "provided port is already allocated";

/// Allocates numbers within one plan.
pub(crate) struct Numbers<'a> {
    range: PortRange,
    taken: &'a dyn Taken,
    random: &'a mut dyn FnMut(u64) -> u64,
    /// The numbers of this Service, so that each is allocated once.
    own: BTreeSet<u16>,
    /// Those that a dry run allocates: it knows no range.
    dry: BTreeSet<i64>,
    /// Those that the Service did not name.
    pub(crate) chosen: Vec<u16>,
}

impl<'a> Numbers<'a> {
    /// Numbers of a range; `own` are those of the stored Service.
    pub(crate) fn new(
        range: PortRange,
        taken: &'a dyn Taken,
        random: &'a mut dyn FnMut(u64) -> u64,
        own: BTreeSet<u16>,
    ) -> Self {
        Self { range, taken, random, own, dry: BTreeSet::new(), chosen: Vec::new() }
    }

    /// Allocates a named number, or returns the error.
    fn take(&mut self, number: i64) -> Result<(), String> {
        let port = self.range.find(number);
        if port.is_none() && !self.range.allows_others {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {}",
                self.range
            ));
        }
        let is_taken = |port: u16| self.own.contains(&port) || is_taken(self.taken, port);
        if port.is_some_and(is_taken) || self.dry.contains(&number) {
            return Err(ALLOCATED.into());
        }
        if self.range.allows_others {
            self.dry.insert(number);
        }
        self.own.extend(port);
        Ok(())
    }

    /// Allocates any free number.
    fn take_any(&mut self) -> Option<i64> {
        if self.range.allows_others {
            let number = self.dry.last().map_or(FIRST_DRY, |last| last + 1);
            self.dry.insert(number);
            return Some(number);
        }
        let (own, taken) = (&self.own, self.taken);
        let mut is_free = |number: u128| {
            u16::try_from(number).is_ok_and(|port| !own.contains(&port) && !is_taken(taken, port))
        };
        let chosen_number = choose(&self.range.bands(), &mut is_free, self.random)?;
        let port = u16::try_from(chosen_number).ok()?;
        self.own.insert(port);
        self.chosen.push(port);
        Some(port.into())
    }
}

fn is_taken(taken: &dyn Taken, port: u16) -> bool {
    PROTOCOLS.iter().any(|protocol| taken.port(port, protocol))
}

/// Allocates node ports for a Service, and its health check port.
pub(crate) fn allocate(
    spec: &mut Spec,
    old: Option<&Spec>,
    numbers: &mut Numbers<'_>,
) -> Result<(), AllocationError> {
    if spec.may_have_node_ports() {
        match old {
            None => allocate_new(spec, numbers)?,
            Some(old) => allocate_changed(spec, old, numbers)?,
        }
    }
    let had_one = old.is_some_and(|old| old.has_health_port() && old.health_port != 0);
    if spec.has_health_port() && !had_one {
        allocate_health_port(spec, numbers)?;
    }
    Ok(())
}

/// A new Service: the protocols of one port share a node port.
fn allocate_new(spec: &mut Spec, numbers: &mut Numbers<'_>) -> Result<(), AllocationError> {
    let mut by_port: BTreeMap<i64, i64> = BTreeMap::new();
    let mut stated: BTreeMap<i64, i64> = BTreeMap::new();
    for port in spec.ports.iter().filter(|port| port.node_port != 0) {
        stated.entry(port.port).or_insert(port.node_port);
    }
    let wants = spec.wants_node_ports();
    for (index, port) in spec.ports.iter_mut().enumerate() {
        if port.node_port == 0 && !wants {
            continue;
        }
        let shared = by_port.get(&port.port).copied();
        let requested = match shared {
            Some(shared) if port.node_port == 0 || port.node_port == shared => {
                port.node_port = shared;
                continue;
            }
            Some(_) => port.node_port,
            // A later protocol of this port may be the one that names it.
            None => stated.get(&port.port).copied().unwrap_or_default(),
        };
        port.node_port = take(numbers, requested, index)?;
        if shared.is_none() {
            by_port.insert(port.port, port.node_port);
        }
    }
    Ok(())
}

/// An updated Service: it keeps its node ports, and each port without one gets its own.
fn allocate_changed(
    spec: &mut Spec,
    old: &Spec,
    numbers: &mut Numbers<'_>,
) -> Result<(), AllocationError> {
    let mut allocated: BTreeSet<i64> = match old.may_have_node_ports() {
        true => old.node_ports().collect(),
        false => BTreeSet::new(),
    };
    let mut seen: BTreeSet<(String, i64)> = BTreeSet::new();
    let wants = spec.wants_node_ports();
    for (index, port) in spec.ports.iter_mut().enumerate() {
        if port.node_port == 0 && !wants {
            continue;
        }
        if port.node_port == 0 || !allocated.contains(&port.node_port) {
            port.node_port = take(numbers, port.node_port, index)?;
            allocated.insert(port.node_port);
        }
        if !seen.insert((port.protocol.clone(), port.node_port)) {
            let pair = format!("{{{} {}}}", port.protocol, port.node_port);
            return Err(AllocationError::Unclassified(format!("duplicate nodePort: {pair}")));
        }
    }
    Ok(())
}

/// Allocates the requested number, or any if it is zero.
fn take(numbers: &mut Numbers<'_>, requested: i64, index: usize) -> Result<i64, AllocationError> {
    if requested == 0 {
        let full = || AllocationError::Internal(format!("failed to allocate a nodePort: {FULL}"));
        return numbers.take_any().ok_or_else(full);
    }
    let at = |error: String| {
        let field = format!("spec.ports[{index}].nodePort");
        AllocationError::Invalid([invalid(field, requested, &error)].into())
    };
    numbers.take(requested).map(|()| requested).map_err(at)
}

fn allocate_health_port(spec: &mut Spec, numbers: &mut Numbers<'_>) -> Result<(), AllocationError> {
    let requested = spec.health_port;
    if requested != 0 {
        return numbers.take(requested).map_err(|error| {
            let message = "failed to allocate requested HealthCheck NodePort";
            AllocationError::Internal(format!("{message} {requested}: {error}"))
        });
    }
    spec.health_port = numbers.take_any().ok_or_else(|| {
        AllocationError::Internal(format!("failed to allocate a HealthCheck NodePort 0: {FULL}"))
    })?;
    Ok(())
}
