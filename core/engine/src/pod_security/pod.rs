//! A pod as the checks see it: the written object plus what the API server would fill in.

use alloc::vec::Vec;
use ratchet_object::At;

/// How much of what the API server fills in must be imagined; each one includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    /// Nothing: the pod is judged exactly as it is written.
    Verbatim,
    /// The defaults of pod specs.
    Template,
    /// The defaults of pods.
    Pod,
    /// What is copied into pods when they are created.
    NewPod,
}

/// A pod, or what a controller would make one from.
#[derive(Clone, Copy, Debug)]
pub struct PodView<'a> {
    metadata: At<'a>,
    spec: At<'a>,
    reading: Reading,
}

/// One container of any of the three lists.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    /// Its place among all containers of the pod: two containers may share a name, not this.
    pub ordinal: usize,
    /// Where it stands.
    pub at: At<'a>,
    /// Its name.
    pub name: &'a str,
}

/// The lists of containers, in the order in which messages name them.
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Where AppArmor profiles stood before they were fields, followed by a container's name.
pub(super) const APP_ARMOR_ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";

impl<'a> PodView<'a> {
    /// The pod at `root`, judged exactly as it is written.
    pub fn verbatim(root: At<'a>) -> Self {
        Self::read(root, Reading::Verbatim)
    }

    /// The template at `root`, from which a controller makes pods.
    pub fn template(root: At<'a>) -> Self {
        Self::read(root, Reading::Template)
    }

    /// The pod at `root`, which is stored already or would replace a stored one.
    pub fn stored(root: At<'a>) -> Self {
        Self::read(root, Reading::Pod)
    }

    /// The pod at `root`, which is about to be created.
    pub fn created(root: At<'a>) -> Self {
        Self::read(root, Reading::NewPod)
    }

    fn read(root: At<'a>, reading: Reading) -> Self {
        Self { metadata: root.field("metadata"), spec: root.field("spec"), reading }
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
        let spec = self.spec;
        LISTS
            .into_iter()
            .flat_map(move |list| spec.field(list).items())
            .enumerate()
            .map(|(ordinal, at)| Container { ordinal, at, name: at.field("name").text_or_empty() })
    }

    /// `spec.runtimeClassName`.
    pub fn runtime_class(&self) -> &'a str {
        self.spec.field("runtimeClassName").text_or_empty()
    }

    /// Whether it says that it runs on Windows.
    pub fn is_windows(&self) -> bool {
        self.spec.descend(&["os", "name"]).text() == Some("windows")
    }

    /// Whether its users are not those of the host.
    pub fn has_user_namespace(&self) -> bool {
        self.spec.field("hostUsers").truth() == Some(false)
    }

    /// The host ports of a container and where each stands. In a pod on the host's network every
    /// port is one of the host, and the API server writes that down.
    pub fn host_ports(&self, container: &Container<'a>) -> Vec<(i64, At<'a>)> {
        let all_are = self.reading >= Reading::Pod && self.spec.field("hostNetwork").is_true();
        let read = |port: At<'a>| {
            let (host, inner) = (port.field("hostPort"), port.field("containerPort"));
            match (host.int().unwrap_or(0), inner.int().unwrap_or(0)) {
                (0, number) if all_are && number != 0 => Some((number, inner)),
                (0, _) => None,
                (number, _) => Some((number, host)),
            }
        };
        container.at.field("ports").items().filter_map(read).collect()
    }

    /// Whether a volume says nothing but its name; the API server then makes it an `emptyDir`.
    pub fn is_default_volume(&self, volume: &At<'a>) -> bool {
        self.reading >= Reading::Template
            && volume.entries().all(|(key, value)| key == "name" || !value.is_set())
    }

    /// The AppArmor profile type of a container, and where it stands. When a pod is created, a
    /// readable annotation counts as the field, unless the pod as a whole says the same.
    pub fn app_armor(&self, container: &Container<'a>) -> Option<(&'a str, At<'a>)> {
        let field = container.security().field("appArmorProfile");
        if field.is_set() {
            let kind = field.field("type");
            return Some((kind.text_or_empty(), kind));
        }
        if self.reading < Reading::NewPod || self.is_windows() {
            return None;
        }
        let annotation = self.annotation(APP_ARMOR_ANNOTATION, container.name)?;
        let (kind, localhost) = read_app_armor(annotation.text_or_empty())?;
        let whole = self.security().field("appArmorProfile");
        let same = whole.is_set()
            && whole.field("type").text() == Some(kind)
            && whole.field("localhostProfile").text_or_empty() == localhost;
        (!same).then_some((kind, annotation))
    }

    /// The annotation whose key is `prefix` followed by `name`, if it is there.
    pub fn annotation(&self, prefix: &str, name: &str) -> Option<At<'a>> {
        let is_it = |(key, _): &(&str, At<'a>)| key.strip_prefix(prefix) == Some(name);
        self.annotations().entries().find(is_it).map(|(_, at)| at)
    }
}

impl<'a> Container<'a> {
    /// `securityContext`.
    pub fn security(&self) -> At<'a> {
        self.at.field("securityContext")
    }
}

/// The longest name of a local profile that the API server takes.
const LONGEST_PROFILE: usize = 4095;

/// The field that an annotation stands for, where it stands for a valid one: its type, and the
/// name of a local profile.
fn read_app_armor(annotation: &str) -> Option<(&'static str, &str)> {
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
    use crate::pod_security::testing::{object, policy};
    use crate::pod_security::{LevelVersion, evaluate, summary};
    use alloc::string::String;

    fn says(reading: Reading, level: &str, pod: &str) -> String {
        let object = object(pod);
        let at = LevelVersion { level: level.parse().unwrap(), ..LevelVersion::default() };
        summary(&evaluate(at, &PodView::read(object.root(), reading), &policy(36)))
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
        assert_eq!(says(Reading::NewPod, "baseline", pod), with_port);
        assert_eq!(says(Reading::Pod, "baseline", pod), with_port);
        // The defaults of pod templates do not say so.
        assert_eq!(says(Reading::Template, "baseline", pod), alone);
    }

    #[test]
    fn a_volume_without_a_source_is_an_empty_directory() {
        let pod =
            "{spec: {hostUsers: false, os: {name: windows}, volumes: [{name: v, nfs: null}]}}";
        assert_eq!(says(Reading::Template, "restricted", pod), "");
        assert_ne!(says(Reading::Verbatim, "restricted", pod), "");
        let unknown =
            "{spec: {hostUsers: false, os: {name: windows}, volumes: [{name: v, novel: {}}]}}";
        assert_ne!(says(Reading::Template, "restricted", unknown), "");
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
        assert_eq!(says(Reading::NewPod, "baseline", &plain), both);
        assert_eq!(says(Reading::Pod, "baseline", &plain), alone);
        assert_eq!(says(Reading::Template, "baseline", &plain), alone);
        let windows = pod("os: {name: windows}, containers: [{name: c}]");
        assert_eq!(says(Reading::NewPod, "baseline", &windows), alone);
        let other = pod("containers: [{name: d}]");
        assert_eq!(says(Reading::NewPod, "baseline", &other), alone);
        let set = pod(
            "containers: [{name: c, securityContext: {appArmorProfile: {type: RuntimeDefault}}}]",
        );
        assert_eq!(says(Reading::NewPod, "baseline", &set), alone);
        let whole =
            pod("securityContext: {appArmorProfile: {type: Unconfined}}, containers: [{name: c}]");
        assert!(says(Reading::NewPod, "baseline", &whole).contains("(pod and annotation must"));
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
            assert_eq!(read_app_armor(annotation), want, "{annotation}");
        }
    }
}
