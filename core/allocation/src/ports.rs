//! The node ports of a Service: those it names are checked, those it lacks are chosen.

use crate::choose::choose;
use crate::fault::{Fault, invalid};
use crate::plan::Taken;
use crate::ranges::PortRange;
use crate::spec::Spec;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Kubernetes gives a number to one Service, whatever the protocol.
const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];

const FULL: &str = "range is full";

/// Hands out numbers within one plan.
pub(crate) struct Numbers<'a> {
    range: PortRange,
    taken: &'a dyn Taken,
    random: &'a mut dyn FnMut(u64) -> u64,
    /// What this Service has or has just got: a number is handed out once.
    mine: BTreeSet<u16>,
    /// Those that the Service did not ask for.
    pub(crate) chosen: Vec<u16>,
}

impl<'a> Numbers<'a> {
    /// Numbers of a range; `mine` are those that the stored Service has.
    pub(crate) fn new(
        range: PortRange,
        taken: &'a dyn Taken,
        random: &'a mut dyn FnMut(u64) -> u64,
        mine: BTreeSet<u16>,
    ) -> Self {
        Self { range, taken, random, mine, chosen: Vec::new() }
    }

    /// Takes a number that is asked for, or says why not.
    fn take(&mut self, number: i64) -> Result<(), String> {
        let Some(port) = self.range.find(number) else {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {}",
                self.range
            ));
        };
        if self.mine.contains(&port) || is_taken(self.taken, port) {
            return Err("provided port is already allocated".into());
        }
        self.mine.insert(port);
        Ok(())
    }

    /// Takes any free number.
    fn take_any(&mut self) -> Option<i64> {
        let (mine, taken) = (&self.mine, self.taken);
        let mut is_free = |number: u128| {
            u16::try_from(number).is_ok_and(|port| !mine.contains(&port) && !is_taken(taken, port))
        };
        let found = choose(&self.range.bands(), &mut is_free, self.random)?;
        let port = u16::try_from(found).ok()?;
        self.mine.insert(port);
        self.chosen.push(port);
        Some(port.into())
    }
}

fn is_taken(taken: &dyn Taken, port: u16) -> bool {
    PROTOCOLS.iter().any(|protocol| taken.port(port, protocol))
}

/// Gives node ports to a Service, and the port for health checks.
pub(crate) fn fill(
    spec: &mut Spec,
    old: Option<&Spec>,
    numbers: &mut Numbers<'_>,
) -> Result<(), Fault> {
    if spec.may_have_node_ports() {
        match old {
            None => fill_new(spec, numbers)?,
            Some(old) => fill_changed(spec, old, numbers)?,
        }
    }
    let had_one = old.is_some_and(|old| old.has_health_port() && old.health_port != 0);
    if spec.has_health_port() && !had_one {
        fill_health_port(spec, numbers)?;
    }
    Ok(())
}

/// A new Service: the protocols of one port share a node port.
fn fill_new(spec: &mut Spec, numbers: &mut Numbers<'_>) -> Result<(), Fault> {
    let mut by_port: BTreeMap<i64, i64> = BTreeMap::new();
    let stated: Vec<(i64, i64)> =
        spec.ports.iter().map(|port| (port.port, port.node_port)).collect();
    let wants = spec.wants_node_ports();
    for (index, port) in spec.ports.iter_mut().enumerate() {
        if port.node_port == 0 && !wants {
            continue;
        }
        let shared = by_port.get(&port.port).copied();
        let asked = match shared {
            Some(shared) if port.node_port == 0 || port.node_port == shared => {
                port.node_port = shared;
                continue;
            }
            Some(_) => port.node_port,
            // A later protocol of this port may be the one that names it.
            None => stated
                .iter()
                .find(|(number, node_port)| *number == port.port && *node_port != 0)
                .map_or(0, |(_, node_port)| *node_port),
        };
        port.node_port = take(numbers, asked, index)?;
        if shared.is_none() {
            by_port.insert(port.port, port.node_port);
        }
    }
    Ok(())
}

/// A changed Service: what it had it keeps, and each port that lacks one gets its own.
fn fill_changed(spec: &mut Spec, old: &Spec, numbers: &mut Numbers<'_>) -> Result<(), Fault> {
    let mut known: BTreeSet<i64> = match old.may_have_node_ports() {
        true => old.node_ports().collect(),
        false => BTreeSet::new(),
    };
    let mut seen: BTreeSet<(String, i64)> = BTreeSet::new();
    let wants = spec.wants_node_ports();
    for (index, port) in spec.ports.iter_mut().enumerate() {
        if port.node_port == 0 && !wants {
            continue;
        }
        if port.node_port == 0 || !known.contains(&port.node_port) {
            port.node_port = take(numbers, port.node_port, index)?;
            known.insert(port.node_port);
        }
        if !seen.insert((port.protocol.clone(), port.node_port)) {
            let pair = format!("{{{} {}}}", port.protocol, port.node_port);
            return Err(Fault::Unclassified(format!("duplicate nodePort: {pair}")));
        }
    }
    Ok(())
}

/// The number that is asked for, or any if that is zero.
fn take(numbers: &mut Numbers<'_>, asked: i64, index: usize) -> Result<i64, Fault> {
    if asked == 0 {
        let full = || Fault::Internal(format!("failed to allocate a nodePort: {FULL}"));
        return numbers.take_any().ok_or_else(full);
    }
    let at = |why: String| {
        let field = format!("spec.ports[{index}].nodePort");
        Fault::Invalid([invalid(field, asked, &why)].into())
    };
    numbers.take(asked).map(|()| asked).map_err(at)
}

fn fill_health_port(spec: &mut Spec, numbers: &mut Numbers<'_>) -> Result<(), Fault> {
    let asked = spec.health_port;
    if asked != 0 {
        return numbers.take(asked).map_err(|why| {
            let what = "failed to allocate requested HealthCheck NodePort";
            Fault::Internal(format!("{what} {asked}: {why}"))
        });
    }
    spec.health_port = numbers.take_any().ok_or_else(|| {
        Fault::Internal(format!("failed to allocate a HealthCheck NodePort 0: {FULL}"))
    })?;
    Ok(())
}
