//! `PodView`, a pod as the checks see it: the written object plus the defaults of the API server.

use crate::rules::pod_annotations;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ratchet_object::At;

/// The defaults of the API server to assume; each variant includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Defaulting {
    /// None: the pod is checked exactly as written.
    Verbatim,
    /// The defaults of pod specs.
    Template,
    /// The defaults of pods.
    Pod,
    /// The values that the API server copies into pods on create.
    NewPod,
}

/// A pod, or the template of a controller.
#[derive(Clone, Copy, Debug)]
pub struct PodView<'a> {
    metadata: At<'a>,
    spec: At<'a>,
    defaulting: Defaulting,
}

/// One container of any of the three lists.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    /// Its index among all containers of the pod, which is unique although names may repeat.
    pub ordinal: usize,
    /// The container's node.
    pub at: At<'a>,
    /// `name`, which messages quote; it may repeat.
    pub name: &'a str,
}

/// Prefix of the AppArmor annotations, before a container's name; fields replaced them.
pub(super) const APP_ARMOR_ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";

impl<'a> PodView<'a> {
    /// The pod at `root`, checked exactly as written.
    pub fn verbatim(root: At<'a>) -> Self {
        Self::new(root, Defaulting::Verbatim)
    }

    /// The template at `root`, from which a controller makes pods.
    pub fn template(root: At<'a>) -> Self {
        Self::new(root, Defaulting::Template)
    }

    /// The pod at `root`, which is stored or updates a stored one.
    pub fn stored(root: At<'a>) -> Self {
        Self::new(root, Defaulting::Pod)
    }

    /// The pod at `root`, which is about to be created.
    pub fn created(root: At<'a>) -> Self {
        Self::new(root, Defaulting::NewPod)
    }

    fn new(root: At<'a>, defaulting: Defaulting) -> Self {
        Self { metadata: root.field("metadata"), spec: root.field("spec"), defaulting }
    }

    /// `spec`.
    pub fn spec(&self) -> At<'a> {
        self.spec
    }

    /// `spec.securityContext`.
    pub fn security(&self) -> At<'a> {
        self.spec.field("securityContext")
    }

    /// `metadata.annotations`.
    pub fn annotations(&self) -> At<'a> {
        self.metadata.field("annotations")
    }

    /// The init containers, then the containers, then the ephemeral ones.
    pub fn containers(&self) -> impl Iterator<Item = Container<'a>> + use<'a> {
        self.spec.containers().enumerate().map(|(ordinal, at)| Container {
            ordinal,
            at,
            name: at.field("name").text_or_empty(),
        })
    }

    /// `spec.runtimeClassName`.
    pub fn runtime_class(&self) -> &'a str {
        self.spec.field("runtimeClassName").text_or_empty()
    }

    /// Whether `spec.os.name` is `windows`.
    pub fn is_windows(&self) -> bool {
        self.spec.descend(&["os", "name"]).text() == Some("windows")
    }

    /// Whether the pod has its own user namespace (`hostUsers: false`).
    pub fn has_user_namespace(&self) -> bool {
        self.spec.field("hostUsers").truth() == Some(false)
    }

    /// The host ports of a container, each with its field. On the host network, the API server defaults `hostPort` to
    /// `containerPort`.
    pub fn host_ports(&self, container: &Container<'a>) -> Vec<(i64, At<'a>)> {
        let is_host_network =
            self.defaulting >= Defaulting::Pod && self.spec.field("hostNetwork").is_true();
        let host_port = |port: At<'a>| {
            let (host, inner) = (port.field("hostPort"), port.field("containerPort"));
            match (host.int().unwrap_or(0), inner.int().unwrap_or(0)) {
                (0, number) if is_host_network && number != 0 => Some((number, inner)),
                (0, _) => None,
                (number, _) => Some((number, host)),
            }
        };
        container.at.field("ports").items().filter_map(host_port).collect()
    }

    /// Whether a volume has only a name; the API server then makes it an `emptyDir`.
    pub fn is_default_volume(&self, volume: &At<'a>) -> bool {
        self.defaulting >= Defaulting::Template
            && volume.entries().all(|(key, value)| key == "name" || !value.is_set())
    }

    /// The AppArmor profile type of a container, and its field. On create, a valid annotation counts as the field, unless
    /// the profile of the pod is equal; `annotations` are those of AppArmor.
    pub fn app_armor(
        &self,
        container: &Container<'a>,
        annotations: &BTreeMap<&str, At<'a>>,
    ) -> Option<(&'a str, At<'a>)> {
        let field = container.security().field("appArmorProfile");
        if field.is_set() {
            let kind = field.field("type");
            return Some((kind.text_or_empty(), kind));
        }
        if self.defaulting < Defaulting::NewPod || self.is_windows() {
            return None;
        }
        let annotation = *annotations.get(container.name)?;
        let (kind, localhost) = parse_app_armor(annotation.text_or_empty())?;
        let pod_profile = self.security().field("appArmorProfile");
        let same = pod_profile.is_set()
            && pod_profile.field("type").text() == Some(kind)
            && pod_profile.field("localhostProfile").text_or_empty() == localhost;
        (!same).then_some((kind, annotation))
    }

    /// The annotations whose keys are `prefix` and a name, by that name.
    pub fn annotations_with(&self, prefix: &str) -> BTreeMap<&'a str, At<'a>> {
        pod_annotations::by_container(&self.annotations(), prefix)
    }
}

impl<'a> Container<'a> {
    /// `securityContext`.
    pub fn security(&self) -> At<'a> {
        self.at.field("securityContext")
    }
}

/// The longest name of a local profile that the API server accepts.
const LONGEST_PROFILE: usize = 4095;

/// The profile of an AppArmor annotation, if valid: its type, and the name of a local profile.
fn parse_app_armor(annotation: &str) -> Option<(&'static str, &str)> {
    match annotation {
        "unconfined" => Some(("Unconfined", "")),
        "runtime/default" => Some(("RuntimeDefault", "")),
        _ => {
            let name = annotation.strip_prefix("localhost/")?;
            let is_valid = !name.is_empty() && name.trim() == name && name.len() <= LONGEST_PROFILE;
            is_valid.then_some(("Localhost", name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::{config, object};
    use crate::pod_security::{LevelVersion, evaluate, summary};
    use alloc::string::String;

    fn violations(defaulting: Defaulting, level: &str, pod: &str) -> String {
        let object = object(pod);
        let at = LevelVersion { level: level.parse().unwrap(), ..LevelVersion::default() };
        summary(&evaluate(at, &PodView::new(object.root(), defaulting), &config(36)))
    }

    #[test]
    fn containers_come_in_the_order_of_messages() {
        let object = object(
            "{spec: {containers: [{name: b}, {name: a}], ephemeralContainers: [{name: e}], initContainers: [{name: i}]}}",
        );
        let view = PodView::verbatim(object.root());
        let names: Vec<&str> = view.containers().map(|container| container.name).collect();
        assert_eq!(names, ["i", "b", "a", "e"]);
    }

    #[test]
    fn ports_of_a_pod_on_the_host_network_are_ports_of_the_host() {
        let pod =
            "{spec: {hostNetwork: true, containers: [{name: c, ports: [{containerPort: 80}]}]}}";
        let alone = "host namespaces (hostNetwork=true)";
        let with_port =
            "host namespaces (hostNetwork=true), hostPort (container \"c\" uses hostPort 80)";
        assert_eq!(violations(Defaulting::NewPod, "baseline", pod), with_port);
        assert_eq!(violations(Defaulting::Pod, "baseline", pod), with_port);
        // The defaults of pod templates do not include host ports.
        assert_eq!(violations(Defaulting::Template, "baseline", pod), alone);
    }

    #[test]
    fn a_volume_without_a_source_is_an_empty_directory() {
        let pod =
            "{spec: {hostUsers: false, os: {name: windows}, volumes: [{name: v, nfs: null}]}}";
        assert_eq!(violations(Defaulting::Template, "restricted", pod), "");
        assert_ne!(violations(Defaulting::Verbatim, "restricted", pod), "");
        let unknown =
            "{spec: {hostUsers: false, os: {name: windows}, volumes: [{name: v, novel: {}}]}}";
        assert_ne!(violations(Defaulting::Template, "restricted", unknown), "");
    }

    #[test]
    fn an_annotation_of_a_new_pod_counts_as_the_field() {
        let pod = |spec: &str| {
            let key = "container.apparmor.security.beta.kubernetes.io/c";
            alloc::format!("{{metadata: {{annotations: {{{key}: unconfined}}}}, spec: {{{spec}}}}}")
        };
        let annotation = r#""container.apparmor.security.beta.kubernetes.io/c="unconfined"""#;
        let both = alloc::format!(
            "forbidden AppArmor profiles (container \"c\" and annotation must not set AppArmor profile type to \"Unconfined\", {annotation})"
        );
        let alone = alloc::format!(
            "forbidden AppArmor profile (annotation must not set AppArmor profile type to {annotation})"
        );
        let plain = pod("containers: [{name: c}]");
        assert_eq!(violations(Defaulting::NewPod, "baseline", &plain), both);
        assert_eq!(violations(Defaulting::Pod, "baseline", &plain), alone);
        assert_eq!(violations(Defaulting::Template, "baseline", &plain), alone);
        let windows = pod("os: {name: windows}, containers: [{name: c}]");
        assert_eq!(violations(Defaulting::NewPod, "baseline", &windows), alone);
        let other = pod("containers: [{name: d}]");
        assert_eq!(violations(Defaulting::NewPod, "baseline", &other), alone);
        let set = pod(
            "containers: [{name: c, securityContext: {appArmorProfile: {type: RuntimeDefault}}}]",
        );
        assert_eq!(violations(Defaulting::NewPod, "baseline", &set), alone);
        let pod_profile =
            pod("securityContext: {appArmorProfile: {type: Unconfined}}, containers: [{name: c}]");
        assert!(
            violations(Defaulting::NewPod, "baseline", &pod_profile)
                .contains("(pod and annotation must")
        );
    }

    #[test]
    fn annotations_stand_for_valid_fields_only() {
        for (annotation, want) in [
            ("unconfined", Some(("Unconfined", ""))),
            ("runtime/default", Some(("RuntimeDefault", ""))),
            ("localhost/a/b", Some(("Localhost", "a/b"))),
            ("localhost/", None),
            ("localhost/ a", None),
            ("Unconfined", None),
            ("", None),
        ] {
            assert_eq!(parse_app_armor(annotation), want, "{annotation}");
        }
    }
}
