//! `spec.volumes[*].hostPath` must not be set.

use super::violations::{ViolationBuilder, plural, quoted};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;
use alloc::vec::Vec;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-007",
    fields: &["spec.volumes[].hostPath"],
    title: "Host path volumes",
    origin: Origin::PodSecurity,
    demands: "No volume is a directory of the host.",
    why: "A container that mounts the host's file system can read the credentials of the \
          kubelet and of other pods, and write programs that the host will run.",
    fix: "Use an `emptyDir`, a `persistentVolumeClaim` or a projected volume instead of \
          `hostPath`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; in the restricted level `restrictedVolumes` takes \
               its place.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "hostPathVolumes",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let mut names = Vec::new();
    for volume in pod.spec().field("volumes").items() {
        let at = volume.field("hostPath");
        if at.is_set() {
            names.push(volume.field("name").text_or_empty());
            found.label(&at, "mounts a directory of the host");
        }
    }
    found.violation("hostPath volumes", |_| {
        format!("{} {}", plural(names.len(), "volume", "volumes"), quoted(&names))
    })
}
