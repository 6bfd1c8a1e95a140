//! Allocation of cluster IPs: named ones are checked, missing ones are chosen.

use crate::allocations::ServiceAllocations;
use crate::choose::choose;
use crate::error::{AllocationError, invalid, list};
use crate::plan::Plan;
use crate::ranges::{Ranges, family_name};
use crate::spec::Spec;
use crate::taken::Taken;
use alloc::format;
use alloc::string::{String, ToString};
use core::net::IpAddr;
use ratchet_net::{Canonical, Family, IpText, Quoted};

/// Allocates an address for each family of a Service; `before` are the allocations of the stored one.
pub(crate) fn allocate(
    spec: &mut Spec,
    name: &str,
    before: &ServiceAllocations,
    ranges: &Ranges,
    taken: &dyn Taken,
    random: &mut dyn FnMut(u64) -> u64,
    plan: &mut Plan,
) -> Result<(), AllocationError> {
    if spec.is_headless() {
        return Ok(());
    }
    // Errors show an empty string for each address that is yet to be chosen.
    if spec.cluster_ips.len() < spec.families.len() {
        spec.cluster_ips.resize(spec.families.len(), String::new());
    }
    for stated in spec.cluster_ips.iter().filter(|ip| !ip.is_empty()) {
        let address = IpText::parse(stated).map(|ip| ip.addr());
        let address = address.map_err(|_| {
            AllocationError::Internal(format!("failed to parse service IP {}", Quoted(stated)))
        })?;
        if before.addresses.contains(&address) {
            continue;
        }
        if let Some(error) = unavailable(address, ranges, taken) {
            let detail = format!("failed to allocate IP {stated}: {error}");
            let cause = invalid("spec.clusterIPs", list(&spec.cluster_ips), &detail);
            return Err(AllocationError::Invalid([cause].into()));
        }
    }
    let mut is_free =
        |address: IpAddr| !before.addresses.contains(&address) && !taken.address(address);
    for (ip, family) in spec.cluster_ips.iter_mut().zip(&spec.families) {
        if !ip.is_empty() {
            continue;
        }
        let chosen = free(family, ranges, &mut is_free, random).ok_or_else(|| {
            let service = Quoted(name);
            let error =
                format!("failed to allocate a serviceIP for Service {service}: range is full");
            AllocationError::Internal(error)
        })?;
        *ip = Canonical::of(chosen).to_string();
        plan.chosen_addresses.push(chosen);
    }
    if let Some(first) = spec.cluster_ips.first() {
        spec.cluster_ip.clone_from(first);
    }
    Ok(())
}

/// The error for an address that a Service cannot have.
fn unavailable(address: IpAddr, ranges: &Ranges, taken: &dyn Taken) -> Option<String> {
    if !ranges.contains(address) {
        // A dry run asks one network of the family, without a look at those that are taken.
        let network = ranges.of_family(Family::of(address)).next().filter(|_| ranges.is_dry_run());
        return Some(match network {
            Some(network) => format!(
                "the provided IP ({address}) is not in the valid range. The range of valid IPs is {network}"
            ),
            None => "the provided network does not match the current range".into(),
        });
    }
    let is_taken = !ranges.is_dry_run() && taken.address(address);
    is_taken.then(|| "provided IP is already allocated".into())
}

/// A free address of a family, in the first network that has one.
fn free(
    family: &str,
    ranges: &Ranges,
    is_free: &mut dyn FnMut(IpAddr) -> bool,
    random: &mut dyn FnMut(u64) -> u64,
) -> Option<IpAddr> {
    let family =
        [Family::V4, Family::V6].into_iter().find(|candidate| family_name(*candidate) == family)?;
    ranges.of_family(family).find_map(|network| {
        let mut is_free = |number: u128| is_free(network.address(number));
        choose(&network.bands(), &mut is_free, random).map(|number| network.address(number))
    })
}
