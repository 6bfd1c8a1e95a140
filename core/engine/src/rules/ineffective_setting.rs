//! Rule RTC-API-006: warnings about deprecated, ineffective or repeated settings of pods and other kinds.

use crate::{Origin, Ratchet, Rule, Verdict, Warning};
use alloc::format;
use alloc::string::String;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-006",
    fields: &[
        "Pod metadata.name, metadata.annotations, spec.volumes[], spec.nodeSelector, spec.affinity, spec.topologySpreadConstraints[]",
        "Pod spec.imagePullSecrets[].name, spec.hostAliases[].ip, spec.overhead",
        "Pod spec.containers[].env[], spec.containers[].ports[], spec.containers[].resources",
        "Deployment, ReplicaSet, ReplicationController, Job and CronJob metadata.name",
        "StatefulSet spec.revisionHistoryLimit, spec.volumeClaimTemplates[]; Job spec.completions; CronJob spec.schedule",
        "Node spec.configSource, spec.externalID",
        "PersistentVolume metadata.annotations, spec; PersistentVolumeClaim metadata.annotations, spec.resources",
        "StorageClass allowedTopologies[], CSIStorageCapacity nodeTopology, RuntimeClass scheduling.nodeSelector",
        "CSIDriver spec.tokenRequests, ResourceSlice spec.driver, ResourceQuota spec.hard",
        "Ingress and ServiceAccount metadata.annotations",
        "CustomResourceDefinition spec.versions[].schema.openAPIV3Schema",
    ],
    title: "setting without effect",
    origin: Origin::Api,
    demands: "Deprecated annotations, labels, fields and volume types are replaced; names, addresses and ports of a pod are not repeated; a name that becomes a host name is a DNS label.",
    why: "A setting that no longer works (an AppArmor or seccomp annotation, say) leaves the pod less confined than its author believes.",
    fix: "Use the field that the message names, or remove the repeated entry.",
    ratchet: Ratchet::Never,
    versions: "Warnings; the releases are in the messages.",
};

/// Adds a warning that begins with the path of the field.
pub(crate) fn warn_at(verdict: &mut Verdict, at: &At<'_>, text: &str) {
    warn_text(verdict, at, format!("{}: {text}", at.path()));
}

/// Adds a warning with exactly this text, which points at the field.
pub(crate) fn warn_text(verdict: &mut Verdict, at: &At<'_>, text: impl Into<String>) {
    verdict.warn(Warning::new(&RULE, at, text));
}
