//! All plugins of Kubernetes 1.36 in the order in which they run, and what each of them does here.

use crate::{
    Cluster, Denial, Request, certificates, classes, limit_ranger, node_labels, node_restriction,
    optional, owner_references, priority, resize, runtime_class, service_account, storage,
    tolerations,
};
use alloc::vec::Vec;
use ratchet_object::Node;

/// Changes an object, or refuses it.
pub type Admit = fn(&Request<'_>, &mut Node<'static>, &dyn Cluster) -> Result<(), Denial>;

/// Refuses an object, or not.
pub type Validate = fn(&Request<'_>, &Node<'_>, &dyn Cluster) -> Result<(), Denial>;

/// One plugin.
#[derive(Clone, Copy, Debug)]
pub struct PluginRow {
    /// Its name in flags and metrics.
    pub name: &'static str,
    /// Whether it is on unless switched off.
    pub default_on: bool,
    /// Whether it does here what it does in Kubernetes; also if that is nothing, for what it looks at is not served.
    pub implemented: bool,
    /// What it does before an object is validated.
    pub admit: Option<Admit>,
    /// What it does after that.
    pub validate: Option<Validate>,
}

impl PluginRow {
    const fn admits(self, admit: Admit) -> Self {
        Self { implemented: true, admit: Some(admit), ..self }
    }

    const fn validates(self, validate: Validate) -> Self {
        Self { implemented: true, validate: Some(validate), ..self }
    }

    /// It is done by another part of the server, or there is nothing to do.
    const fn elsewhere(self) -> Self {
        Self { implemented: true, ..self }
    }
}

const fn on(name: &'static str) -> PluginRow {
    PluginRow { name, default_on: true, implemented: false, admit: None, validate: None }
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
    off("NodeRestriction").admits(node_restriction::admit),
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
    on("PodGroupProtection").elsewhere(),
    off("OwnerReferencesPermissionEnforcement").validates(owner_references::validate),
    on("PersistentVolumeClaimResize").validates(storage::resize),
    on("RuntimeClass").admits(runtime_class::admit).validates(runtime_class::validate),
    on("CertificateApproval").validates(certificates::approval),
    on("CertificateSigning").validates(certificates::signing),
    on("ClusterTrustBundleAttest").elsewhere(),
    on("CertificateSubjectRestriction").validates(certificates::subject),
    on("DefaultIngressClass").admits(classes::ingress),
    off("DenyServiceExternalIPs").elsewhere(),
    on("PodTopologyLabels").admits(node_labels::admit),
    on("PodGroupWorkloadExists").elsewhere(),
    on("NodeDeclaredFeatureValidator"),
    on("JobValidation").elsewhere(),
    on("PodResizeValidator").validates(resize::validate),
    on("MutatingAdmissionPolicy"),
    on("MutatingAdmissionWebhook"),
    on("ValidatingAdmissionPolicy").elsewhere(),
    on("ValidatingAdmissionWebhook"),
    on("ResourceQuota").elsewhere(),
    off("AlwaysDeny").admits(optional::deny),
];

/// The names of the plugins that are on unless switched off.
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
