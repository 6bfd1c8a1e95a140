//! Dependencies between feature gates, kept by hand from the feature lists of the releases.
//!
//! A gate that is on requires others to be on. `cargo xtask tables` compares the rows in force in 1.36 with a checkout.

use super::{Gates, find};
use crate::Release;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// One row: a gate, and the gates it requires.
struct Dependency {
    gate: &'static str,
    needs: &'static [&'static str],
    /// The first and the last release that check it, as minor numbers.
    releases: (u8, u8),
}

/// Errors about gates whose dependencies are off, with the messages of Kubernetes.
pub(super) fn errors(gates: &Gates) -> Vec<String> {
    let is_on = |name: &str| find(name).is_some_and(|gate| gates.on(gate));
    in_force(gates.release)
        .filter(|row| is_on(row.gate))
        .filter_map(|row| {
            let off: Vec<&str> = row.needs.iter().copied().filter(|name| !is_on(name)).collect();
            let off = (!off.is_empty()).then(|| off.join(" "))?;
            Some(format!(
                "{} is enabled, but depends on features that are disabled: [{off}]",
                row.gate
            ))
        })
        .collect()
}

/// The gates that a gate requires in a release, sorted by name.
pub fn dependencies_of(gate: &str, release: Release) -> &'static [&'static str] {
    in_force(release).find(|row| row.gate == gate).map_or(&[], |row| row.needs)
}

fn in_force(release: Release) -> impl Iterator<Item = &'static Dependency> {
    let minor = release.minor();
    DEPENDENCIES.iter().filter(move |row| (row.releases.0..=row.releases.1).contains(&minor))
}

/// Sorted by gate, and each gate's dependencies by name. Releases before 1.35 do not check.
#[rustfmt::skip]
static DEPENDENCIES: &[Dependency] = &[
    Dependency { gate: "AuthorizeNodeWithSelectors", needs: &["AuthorizeWithSelectors"], releases: (35, 36) },
    Dependency { gate: "ClusterTrustBundleProjection", needs: &["ClusterTrustBundle"], releases: (35, 37) },
    Dependency { gate: "CompositePodGroup", needs: &["GenericWorkload", "TopologyAwareWorkloadScheduling"], releases: (37, 37) },
    Dependency { gate: "DRAAdminAccess", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRAConsumableCapacity", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRADerivedAttributes", needs: &["DynamicResourceAllocation"], releases: (37, 37) },
    Dependency { gate: "DRADeviceBindingConditions", needs: &["DRAResourceClaimDeviceStatus", "DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRADeviceCompatibilityGroups", needs: &["DRAPartitionableDevices", "DynamicResourceAllocation"], releases: (37, 37) },
    Dependency { gate: "DRADeviceTaintRules", needs: &["DRADeviceTaints"], releases: (35, 37) },
    Dependency { gate: "DRADeviceTaints", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRAExtendedResource", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRAFractionalCapacityRange", needs: &["DRAConsumableCapacity"], releases: (37, 37) },
    Dependency { gate: "DRAListTypeAttributes", needs: &["DynamicResourceAllocation"], releases: (36, 37) },
    Dependency { gate: "DRANodeAllocatableResources", needs: &["DynamicResourceAllocation"], releases: (36, 37) },
    Dependency { gate: "DRAOptionalNodeOperations", needs: &["DynamicResourceAllocation", "NodeDeclaredFeatures"], releases: (37, 37) },
    Dependency { gate: "DRAPartitionableDevices", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRAPartitionableDevicesType", needs: &["DRAPartitionableDevices", "DRAResourcePoolStatus", "DynamicResourceAllocation"], releases: (37, 37) },
    Dependency { gate: "DRAPrioritizedList", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRAResourceClaimGranularStatusAuthorization", needs: &["DRAResourceClaimDeviceStatus", "DynamicResourceAllocation"], releases: (36, 37) },
    Dependency { gate: "DRAResourcePoolStatus", needs: &["DynamicResourceAllocation"], releases: (36, 37) },
    Dependency { gate: "DRASchedulerFilterTimeout", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "DRAWorkloadResourceClaims", needs: &["DynamicResourceAllocation", "GenericWorkload"], releases: (36, 37) },
    Dependency { gate: "DeclarativeValidationBeta", needs: &["DeclarativeValidation"], releases: (36, 37) },
    Dependency { gate: "DeclarativeValidationTakeover", needs: &["DeclarativeValidation"], releases: (35, 37) },
    Dependency { gate: "DisableAllocatorDualWrite", needs: &["MultiCIDRServiceAllocator"], releases: (35, 37) },
    Dependency { gate: "EventedPLEG", needs: &["PLEGOnDemandRelist"], releases: (37, 37) },
    Dependency { gate: "ExtendWebSocketsToKubelet", needs: &["NodeDeclaredFeatures"], releases: (36, 37) },
    Dependency { gate: "GangScheduling", needs: &["GenericWorkload"], releases: (35, 36) },
    Dependency { gate: "GracefulNodeShutdownBasedOnPodPriority", needs: &["GracefulNodeShutdown"], releases: (35, 37) },
    Dependency { gate: "H2CContainerProbe", needs: &["NodeDeclaredFeatures"], releases: (37, 37) },
    Dependency { gate: "ImageVolumeWithDigest", needs: &["ImageVolume"], releases: (36, 37) },
    Dependency { gate: "InPlacePodLevelResourcesVerticalScaling", needs: &["InPlacePodVerticalScaling", "NodeDeclaredFeatures", "PodLevelResources"], releases: (35, 37) },
    Dependency { gate: "InPlacePodVerticalScalingAllocatedStatus", needs: &["InPlacePodVerticalScaling"], releases: (35, 35) },
    Dependency { gate: "InPlacePodVerticalScalingExclusiveCPUs", needs: &["InPlacePodVerticalScaling"], releases: (35, 37) },
    Dependency { gate: "InPlacePodVerticalScalingExclusiveMemory", needs: &["InPlacePodVerticalScaling", "MemoryManager"], releases: (35, 35) },
    Dependency { gate: "InPlacePodVerticalScalingExclusiveMemory", needs: &["InPlacePodVerticalScaling"], releases: (36, 37) },
    Dependency { gate: "InPlacePodVerticalScalingInitContainers", needs: &["InPlacePodVerticalScaling", "NodeDeclaredFeatures"], releases: (36, 37) },
    Dependency { gate: "InPlacePodVerticalScalingMemoryBackedVolumes", needs: &["InPlacePodVerticalScaling", "NodeDeclaredFeatures"], releases: (37, 37) },
    Dependency { gate: "InPlacePodVerticalScalingSchedulerPreemption", needs: &["InPlacePodVerticalScaling"], releases: (37, 37) },
    Dependency { gate: "KubeletAllocatedPodsEndpoint", needs: &["InPlacePodVerticalScaling"], releases: (37, 37) },
    Dependency { gate: "MatchLabelKeysInPodTopologySpreadSelectorMerge", needs: &["MatchLabelKeysInPodTopologySpread"], releases: (35, 37) },
    Dependency { gate: "NodeControllerLeaseCircuitBreaker", needs: &["AtomicFIFO"], releases: (37, 37) },
    Dependency { gate: "PodCertificateRequest", needs: &["AuthorizeNodeWithSelectors"], releases: (35, 36) },
    Dependency { gate: "PodGroupPreemptionPolicy", needs: &["GenericWorkload"], releases: (37, 37) },
    Dependency { gate: "PodLevelResourceManagers", needs: &["PodLevelResources"], releases: (36, 37) },
    Dependency { gate: "PodLevelResourcesFixDefaulting", needs: &["PodLevelResources"], releases: (37, 37) },
    Dependency { gate: "PodLevelResourcesFixKubeletQOSClass", needs: &["PodLevelResources"], releases: (37, 37) },
    Dependency { gate: "PodLifecycleSleepActionAllowZero", needs: &["PodLifecycleSleepAction"], releases: (35, 36) },
    Dependency { gate: "ProcMountType", needs: &["UserNamespacesSupport"], releases: (35, 37) },
    Dependency { gate: "ResourceHealthStatus", needs: &["DynamicResourceAllocation"], releases: (35, 37) },
    Dependency { gate: "ResourceHealthStatusMessage", needs: &["ResourceHealthStatus"], releases: (36, 37) },
    Dependency { gate: "RestartAllContainersOnContainerExits", needs: &["ContainerRestartRules", "NodeDeclaredFeatures"], releases: (35, 37) },
    Dependency { gate: "ServiceAccountTokenNodeBinding", needs: &["ServiceAccountTokenNodeBindingValidation"], releases: (35, 37) },
    Dependency { gate: "StaleControllerConsistencyDaemonSet", needs: &["AtomicFIFO"], releases: (36, 37) },
    Dependency { gate: "StaleControllerConsistencyHPA", needs: &["AtomicFIFO"], releases: (37, 37) },
    Dependency { gate: "StaleControllerConsistencyJob", needs: &["AtomicFIFO"], releases: (36, 37) },
    Dependency { gate: "StaleControllerConsistencyReplicaSet", needs: &["AtomicFIFO"], releases: (36, 37) },
    Dependency { gate: "StaleControllerConsistencyStatefulSet", needs: &["AtomicFIFO"], releases: (36, 37) },
    Dependency { gate: "StorageVersionAPI", needs: &["APIServerIdentity"], releases: (35, 37) },
    Dependency { gate: "StructuredAuthenticationConfigurationEgressSelector", needs: &["StructuredAuthenticationConfiguration"], releases: (35, 36) },
    Dependency { gate: "StructuredAuthenticationConfigurationJWKSMetrics", needs: &["StructuredAuthenticationConfiguration"], releases: (35, 36) },
    Dependency { gate: "TopologyAwareWorkloadScheduling", needs: &["GenericWorkload"], releases: (36, 37) },
    Dependency { gate: "UnknownVersionInteroperabilityProxy", needs: &["APIServerIdentity"], releases: (35, 37) },
    Dependency { gate: "UserNamespacesHostNetworkSupport", needs: &["UserNamespacesSupport"], releases: (35, 35) },
    Dependency { gate: "UserNamespacesHostNetworkSupport", needs: &["NodeDeclaredFeatures", "UserNamespacesSupport"], releases: (36, 37) },
    Dependency { gate: "WindowsCPUAndMemoryAffinity", needs: &["MemoryManager"], releases: (35, 35) },
    Dependency { gate: "WindowsGracefulNodeShutdown", needs: &["GracefulNodeShutdown"], releases: (35, 37) },
    Dependency { gate: "WorkloadAwarePreemption", needs: &["GangScheduling"], releases: (36, 36) },
    Dependency { gate: "WorkloadWithJob", needs: &["GenericWorkload"], releases: (36, 37) },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_gates_that_there_are_in_their_releases() {
        for row in DEPENDENCIES {
            for name in row.needs.iter().chain([&row.gate]) {
                let gate = find(name).unwrap_or_else(|| panic!("{name}"));
                for minor in row.releases.0..=row.releases.1 {
                    assert!(gate.is_known(Release::new(minor).unwrap()), "{name} in 1.{minor}");
                }
            }
            assert!(row.needs.is_sorted() && !row.needs.is_empty(), "{}", row.gate);
        }
        assert!(DEPENDENCIES.is_sorted_by_key(|row| (row.gate, row.releases)));
    }

    #[test]
    fn defaults_of_every_release_agree() {
        for release in Release::all() {
            assert_eq!(errors(&Gates::of(release)), Vec::<String>::new(), "{release}");
        }
    }
}
