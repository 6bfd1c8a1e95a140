//! Kept by hand: the admission plugins of Kubernetes 1.36 in the order in which they run, and which of them exist here.

use crate::{
    Attributes, Denial, PluginContext, certificates, classes, limit_ranger, node_labels,
    node_restriction, optional, owner_references, pod_groups, priority, resize, runtime_class,
    service_account, storage, tolerations,
};
use alloc::vec::Vec;
use ratchet_object::Node;

/// A mutating plugin: changes an object, or refuses it.
pub type Admit = fn(&Attributes<'_>, &mut Node<'static>, &dyn PluginContext) -> Result<(), Denial>;

/// A validating plugin: refuses an object, or not.
pub type Validate = fn(&Attributes<'_>, &Node<'_>, &dyn PluginContext) -> Result<(), Denial>;

/// One plugin.
#[derive(Clone, Copy, Debug)]
pub struct PluginRow {
    /// The name in flags and metrics.
    pub name: &'static str,
    /// Whether it is enabled by default.
    pub default_on: bool,
    /// Whether it behaves as in Kubernetes; also if it has no effect because its resources are not served.
    pub implemented: bool,
    /// Whether it also handles deletions and bodies of subresources that are not stored.
    pub handles_unstored: bool,
    /// The mutating part, which runs before validation of the object.
    pub admit: Option<Admit>,
    /// The validating part, which runs after that.
    pub validate: Option<Validate>,
}

impl PluginRow {
    const fn admits(self, admit: Admit) -> Self {
        Self { implemented: true, admit: Some(admit), ..self }
    }

    const fn validates(self, validate: Validate) -> Self {
        Self { implemented: true, validate: Some(validate), ..self }
    }

    const fn also_unstored(self) -> Self {
        Self { handles_unstored: true, ..self }
    }

    /// Implemented by another part of the server, or without effect.
    const fn elsewhere(self) -> Self {
        Self { implemented: true, ..self }
    }
}

const fn on(name: &'static str) -> PluginRow {
    PluginRow {
        name,
        default_on: true,
        implemented: false,
        handles_unstored: false,
        admit: None,
        validate: None,
    }
}

const fn off(name: &'static str) -> PluginRow {
    PluginRow { default_on: false, ..on(name) }
}

/// All plugins, in the order in which they run.
pub static PLUGINS: &[PluginRow] = &[
    off("AlwaysAdmit").elsewhere(),
    off("NamespaceAutoProvision"),
    on("NamespaceLifecycle").elsewhere(),
    off("NamespaceExists").validates(optional::namespace_exists),
    off("LimitPodHardAntiAffinityTopology").validates(optional::anti_affinity),
    on("LimitRanger").admits(limit_ranger::admit).validates(limit_ranger::validate),
    on("ServiceAccount").admits(service_account::admit).validates(service_account::validate),
    off("NodeRestriction").admits(node_restriction::admit).also_unstored(),
    on("TaintNodesByCondition").admits(tolerations::taint),
    off("AlwaysPullImages").admits(optional::admit).validates(optional::validate),
    off("ImagePolicyWebhook"),
    on("PodSecurity").elsewhere(),
    off("PodNodeSelector"),
    on("Priority").admits(priority::admit).validates(priority::validate),
    on("DefaultTolerationSeconds").admits(tolerations::default_seconds),
    off("PodTolerationRestriction"),
    off("EventRateLimit"),
    off("ExtendedResourceToleration").admits(tolerations::extended),
    on("DefaultStorageClass").admits(classes::storage),
    on("StorageObjectInUseProtection").admits(storage::protect),
    on("PodGroupProtection").admits(pod_groups::protect),
    off("OwnerReferencesPermissionEnforcement").validates(owner_references::validate),
    on("PersistentVolumeClaimResize").validates(storage::resize),
    on("RuntimeClass").admits(runtime_class::admit).validates(runtime_class::validate),
    on("CertificateApproval").validates(certificates::approval),
    on("CertificateSigning").validates(certificates::signing),
    on("ClusterTrustBundleAttest").validates(certificates::attest),
    on("CertificateSubjectRestriction").validates(certificates::subject),
    on("DefaultIngressClass").admits(classes::ingress),
    off("DenyServiceExternalIPs").elsewhere(),
    on("PodTopologyLabels").admits(node_labels::admit),
    on("PodGroupWorkloadExists").validates(pod_groups::validate),
    on("NodeDeclaredFeatureValidator"),
    on("JobValidation").elsewhere(),
    on("PodResizeValidator").validates(resize::validate),
    on("MutatingAdmissionPolicy").elsewhere(),
    on("MutatingAdmissionWebhook").elsewhere(),
    on("ValidatingAdmissionPolicy").elsewhere(),
    on("ValidatingAdmissionWebhook").elsewhere(),
    on("ResourceQuota").elsewhere(),
    off("AlwaysDeny").admits(optional::deny).also_unstored(),
];

/// The names of the plugins that are enabled by default.
pub fn default_plugins() -> Vec<&'static str> {
    PLUGINS.iter().filter(|row| row.default_on).map(|row| row.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plugin_is_there_once() {
        let mut names: Vec<&str> = PLUGINS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), 41);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 41);
        assert_eq!(default_plugins().len(), 27);
        assert!(default_plugins().contains(&"ResourceQuota"));
        assert!(!default_plugins().contains(&"NodeRestriction"));
    }

    #[test]
    fn who_acts_is_implemented() {
        for row in PLUGINS {
            assert!(
                row.implemented || row.admit.is_none() && row.validate.is_none(),
                "{}",
                row.name
            );
        }
    }
}
