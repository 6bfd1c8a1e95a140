//! `spec.volumes[*]` must be one of `configMap`, `csi`, `downwardAPI`, `emptyDir`, `ephemeral`,
//! `image`, `persistentVolumeClaim`, `projected` and `secret`.

use super::violations::{ViolationBuilder, plural, quoted};
use crate::pod_security::check::{Check, Context, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;
use alloc::vec::Vec;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-011",
    fields: &["spec.volumes[]"],
    title: "Volume types",
    origin: Origin::PodSecurity,
    demands: "Volumes are of a type that the cluster administers: config maps, secrets, \
              projected and downward API volumes, empty directories, claims, ephemeral and CSI \
              volumes, images.",
    why: "Every other type lets the author of a pod choose a place outside the cluster, or on \
          the host, that the node then mounts with its own rights.",
    fix: "Ask for storage with a `persistentVolumeClaim`, or use an `emptyDir`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; image volumes are accepted since Kubernetes 1.33.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "restrictedVolumes",
    level: Level::Restricted,
    variants: &[Variant::since(0, check_volumes).overriding(&["hostPathVolumes"])],
};

const ALLOWED: [&str; 8] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// In the order in which Kubernetes determines the type of a volume.
const RESTRICTED: [&str; 21] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
];

fn check_volumes(pod: &PodView<'_>, context: &Context) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let mut names = Vec::new();
    for volume in pod.spec().field("volumes").items() {
        let is = |source: &&'static str| volume.field(source).is_set();
        let is_allowed = ALLOWED.iter().any(is)
            || (context.knows_image_volumes && is(&"image"))
            || pod.is_default_volume(&volume);
        if is_allowed {
            continue;
        }
        let source = RESTRICTED.into_iter().find(is);
        names.push(volume.field("name").text_or_empty());
        found.values.insert(source.unwrap_or("unknown"));
        let at = source.map_or(volume, |source| volume.field(source));
        found.label(&at, "a volume type that pods may not choose");
    }
    found.violation("restricted volume types", |found| {
        let volumes = plural(names.len(), "volume", "volumes");
        let verb = plural(names.len(), "uses", "use");
        let noun = plural(found.values.len(), "type", "types");
        let (names, types) = (quoted(&names), found.quoted_values());
        format!("{volumes} {names} {verb} restricted volume {noun} {types}")
    })
}
