//! Tests of every edge, of the graph against a plain walk, and of the cost of updates.

use super::*;
use crate::testing::node;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

fn target<'a>(resource: &'a str, namespace: &'a str, name: &'a str) -> Resource<'a> {
    let row = ROWS.iter().find(|row| row.1 == resource).expect("a row");
    Resource { group: row.0, resource, namespace, name, ..Resource::default() }
}

fn related(graph: &NodeGraph, on: &str, resource: &str, namespace: &str, name: &str) -> bool {
    graph.is_related(on, &target(resource, namespace, name))
}

/// A pod on node `n1` with these fields.
fn pod(rest: &str) -> Node<'static> {
    node(&format!("{{metadata: {{name: p, namespace: a}}, spec: {{nodeName: n1, {rest}}}}}"))
}

/// An object with a string at the end of a path, through lists where Kubernetes has lists.
fn at_path(path: &str, text: &str) -> String {
    const LISTS: [&str; 8] = [
        "containers",
        "initContainers",
        "ephemeralContainers",
        "env",
        "envFrom",
        "volumes",
        "sources",
        "imagePullSecrets",
    ];
    path.rsplit('.').fold(text.to_string(), |inner, name| match LISTS.contains(&name) {
        // Another item precedes the one that is looked for.
        true => format!("{{{name}: [{{name: first}}, {inner}]}}"),
        false => format!("{{{name}: {inner}}}"),
    })
}

/// The references of pods in the API types.
const POD_EDGES: [(&str, &str); 28] = [
    ("serviceAccountName", "serviceaccounts"),
    ("imagePullSecrets.name", "secrets"),
    ("containers.envFrom.secretRef.name", "secrets"),
    ("containers.env.valueFrom.secretKeyRef.name", "secrets"),
    ("initContainers.envFrom.secretRef.name", "secrets"),
    ("initContainers.env.valueFrom.secretKeyRef.name", "secrets"),
    ("ephemeralContainers.envFrom.secretRef.name", "secrets"),
    ("ephemeralContainers.env.valueFrom.secretKeyRef.name", "secrets"),
    ("volumes.secret.secretName", "secrets"),
    ("volumes.projected.sources.secret.name", "secrets"),
    ("volumes.csi.nodePublishSecretRef.name", "secrets"),
    ("volumes.azureFile.secretName", "secrets"),
    ("volumes.cephfs.secretRef.name", "secrets"),
    ("volumes.cinder.secretRef.name", "secrets"),
    ("volumes.flexVolume.secretRef.name", "secrets"),
    ("volumes.iscsi.secretRef.name", "secrets"),
    ("volumes.rbd.secretRef.name", "secrets"),
    ("volumes.scaleIO.secretRef.name", "secrets"),
    ("volumes.storageos.secretRef.name", "secrets"),
    ("containers.envFrom.configMapRef.name", "configmaps"),
    ("containers.env.valueFrom.configMapKeyRef.name", "configmaps"),
    ("initContainers.envFrom.configMapRef.name", "configmaps"),
    ("initContainers.env.valueFrom.configMapKeyRef.name", "configmaps"),
    ("ephemeralContainers.envFrom.configMapRef.name", "configmaps"),
    ("ephemeralContainers.env.valueFrom.configMapKeyRef.name", "configmaps"),
    ("volumes.configMap.name", "configmaps"),
    ("volumes.projected.sources.configMap.name", "configmaps"),
    ("volumes.persistentVolumeClaim.claimName", "persistentvolumeclaims"),
];

#[test]
fn what_a_pod_names_is_related_to_its_node_until_the_pod_is_gone() {
    for (path, resource) in POD_EDGES {
        let spec = at_path(path, "it");
        let inner = spec.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let object = pod(inner.expect("a map"));
        let mut graph = NodeGraph::default();
        graph.set(Source::Pod, "a", "p", Some(&object));
        let has = |graph: &NodeGraph| related(graph, "n1", resource, "a", "it");
        assert!(has(&graph), "{path}");
        assert!(related(&graph, "n1", "pods", "a", "p"), "{path}");
        assert!(!related(&graph, "n2", resource, "a", "it"), "{path}: another node");
        assert!(!related(&graph, "n1", resource, "b", "it"), "{path}: another namespace");
        for other in ["secrets", "configmaps", "serviceaccounts", "persistentvolumeclaims"] {
            let same = other == resource;
            assert_eq!(related(&graph, "n1", other, "a", "it"), same, "{path}: {other}");
        }
        graph.set(Source::Pod, "a", "p", None);
        assert!(!has(&graph) && !related(&graph, "n1", "pods", "a", "p"), "{path}: gone");
        assert!(graph.nodes.is_empty() && graph.edges.is_empty(), "{path}: nothing stays behind");
    }
}

#[test]
fn claims_of_resources_are_known_by_spec_and_status() {
    let object = node(
        "{metadata: {name: p, namespace: a}, spec: {nodeName: n1, resourceClaims: [
            {name: own, resourceClaimName: gpu}, {name: made, resourceClaimTemplateName: t},
            {name: pending, resourceClaimTemplateName: t}, {name: none, resourceClaimTemplateName: t}]},
          status: {extendedResourceClaimStatus: {resourceClaimName: extended}, resourceClaimStatuses: [
            {name: made, resourceClaimName: p-made}, {name: own, resourceClaimName: stolen},
            {name: unknown, resourceClaimName: foreign}, {name: none}]}}",
    );
    let mut graph = NodeGraph::default();
    graph.set(Source::Pod, "a", "p", Some(&object));
    let has = |name: &str| related(&graph, "n1", "resourceclaims", "a", name);
    for name in ["gpu", "p-made", "extended"] {
        assert!(has(name), "{name}");
    }
    // A status counts only for templates in the spec.
    for name in ["stolen", "foreign", "t", ""] {
        assert!(!has(name), "{name}");
    }
}

#[test]
fn volumes_and_their_secrets_come_through_claims() {
    let volume = |source: &str| {
        node(&format!(
            "{{metadata: {{name: v}}, spec: {{claimRef: {{namespace: a, name: disk}}, {source}}}}}"
        ))
    };
    let uses = pod("volumes: [{name: data, persistentVolumeClaim: {claimName: disk}}]");
    for (source, namespace, is_related) in [
        ("azureFile: {secretName: s}", "a", true),
        ("azureFile: {secretName: s, secretNamespace: b}", "b", true),
        ("azureFile: {secretName: s, secretNamespace: b}", "a", false),
        ("cephfs: {secretRef: {name: s}}", "a", true),
        ("cephfs: {secretRef: {name: s, namespace: b}}", "b", true),
        ("flexVolume: {secretRef: {name: s}}", "a", true),
        ("flexVolume: {secretRef: {name: s, namespace: b}}", "b", true),
        ("iscsi: {secretRef: {name: s}}", "a", true),
        ("iscsi: {secretRef: {name: s, namespace: b}}", "b", true),
        ("rbd: {secretRef: {name: s}}", "a", true),
        ("rbd: {secretRef: {name: s, namespace: b}}", "b", true),
        ("scaleIO: {secretRef: {name: s}}", "a", true),
        ("scaleIO: {secretRef: {name: s, namespace: b}}", "b", true),
        ("cinder: {secretRef: {name: s, namespace: b}}", "b", true),
        ("cinder: {secretRef: {name: s}}", "a", false),
        ("storageos: {secretRef: {name: s, namespace: b}}", "b", true),
        ("csi: {nodePublishSecretRef: {name: s, namespace: b}}", "b", true),
        ("csi: {nodeStageSecretRef: {name: s, namespace: b}}", "b", true),
        ("csi: {nodeExpandSecretRef: {name: s, namespace: b}}", "b", true),
        ("csi: {controllerPublishSecretRef: {name: s, namespace: b}}", "b", false),
        ("csi: {controllerExpandSecretRef: {name: s, namespace: b}}", "b", false),
    ] {
        let volume = volume(source);
        let mut graph = NodeGraph::default();
        let has = |graph: &NodeGraph| {
            let secret = related(graph, "n1", "secrets", namespace, "s");
            (secret, related(graph, "n1", "persistentvolumes", "", "v"))
        };
        // In either order, and removing either one ends the relation.
        graph.set(Source::PersistentVolume, "", "v", Some(&volume));
        assert_eq!(has(&graph), (false, false), "{source}: nobody uses the claim");
        graph.set(Source::Pod, "a", "p", Some(&uses));
        assert_eq!(has(&graph), (is_related, true), "{source}");
        assert!(!related(&graph, "n2", "secrets", namespace, "s"), "{source}: another node");
        graph.set(Source::PersistentVolume, "", "v", None);
        assert_eq!(has(&graph), (false, false), "{source}: no volume");
        graph.set(Source::PersistentVolume, "", "v", Some(&volume));
        assert_eq!(has(&graph), (is_related, true), "{source}: again");
        graph.set(Source::Pod, "a", "p", None);
        assert_eq!(has(&graph), (false, false), "{source}: no pod");
        graph.set(Source::PersistentVolume, "", "v", None);
        assert!(graph.nodes.is_empty() && graph.volumes.is_empty(), "{source}: nothing stays");
    }
    let mut graph = NodeGraph::default();
    graph.set(Source::Pod, "a", "p", Some(&uses));
    let free = node("{metadata: {name: v}, spec: {rbd: {secretRef: {name: s, namespace: b}}}}");
    graph.set(Source::PersistentVolume, "", "v", Some(&free));
    assert!(!related(&graph, "n1", "persistentvolumes", "", "v"), "bound to nothing");
}

#[test]
fn a_claim_that_a_volume_brings_along_is_named_after_the_pod() {
    let mut graph = NodeGraph::default();
    let object = pod("volumes: [{name: v1, ephemeral: {}}, {name: v2, emptyDir: {}}]");
    graph.set(Source::Pod, "a", "p", Some(&object));
    assert!(related(&graph, "n1", "persistentvolumeclaims", "a", "p-v1"));
    assert!(!related(&graph, "n1", "persistentvolumeclaims", "a", "p-v2"));
}

#[test]
fn what_names_a_node_is_related_to_it() {
    for (source, resource, namespace) in [
        (Source::VolumeAttachment, "volumeattachments", ""),
        (Source::ResourceSlice, "resourceslices", ""),
        (Source::PodCertificateRequest, "podcertificaterequests", "a"),
        (Source::Pod, "pods", "a"),
    ] {
        let mut graph = NodeGraph::default();
        let on = |name: &str| node(&format!("{{spec: {{nodeName: {name}}}}}"));
        graph.set(source, namespace, "x", Some(&on("n1")));
        assert!(related(&graph, "n1", resource, namespace, "x"), "{resource}");
        graph.set(source, namespace, "x", Some(&on("n2")));
        assert!(!related(&graph, "n1", resource, namespace, "x"), "{resource}: moved");
        assert!(related(&graph, "n2", resource, namespace, "x"), "{resource}: moved");
        graph.set(source, namespace, "x", Some(&on("\"\"")));
        assert!(!related(&graph, "n2", resource, namespace, "x"), "{resource}: nowhere");
        assert!(!related(&graph, "", resource, namespace, "x"), "{resource}: nowhere");
        assert_eq!(Source::of(target(resource, "", "").group, resource), Some(source));
    }
    assert_eq!(Source::of("", "secrets"), None);
    assert_eq!(Source::of("example.com", "pods"), None);
}

#[test]
fn pods_that_a_node_made_give_it_nothing_but_themselves() {
    let mut object = pod("imagePullSecrets: [{name: pull}], serviceAccountName: bot");
    let annotations = node("{kubernetes.io/config.mirror: ''}");
    object.map_mut("metadata").set("annotations", annotations);
    let mut graph = NodeGraph::default();
    graph.set(Source::Pod, "a", "p", Some(&object));
    assert!(related(&graph, "n1", "pods", "a", "p"));
    assert!(!related(&graph, "n1", "secrets", "a", "pull"));
    assert!(!related(&graph, "n1", "serviceaccounts", "a", "bot"));
}

#[test]
fn pods_that_have_ended_count_until_they_are_removed() {
    let mut object = pod("imagePullSecrets: [{name: pull}]");
    object.map_mut("status").set("phase", Node::string("Succeeded"));
    object.map_mut("metadata").set("deletionTimestamp", Node::string("2020-01-01T00:00:00Z"));
    let mut graph = NodeGraph::default();
    graph.set(Source::Pod, "a", "p", Some(&object));
    assert!(related(&graph, "n1", "secrets", "a", "pull"));
}

#[test]
fn the_last_of_two_ends_it() {
    let object = pod("serviceAccountName: bot, volumes: [{name: v, secret: {secretName: s}}]");
    let mut graph = NodeGraph::default();
    graph.set(Source::Pod, "a", "p", Some(&object));
    graph.set(Source::Pod, "a", "q", Some(&object));
    graph.set(Source::Pod, "a", "p", None);
    assert!(related(&graph, "n1", "secrets", "a", "s"));
    graph.set(Source::Pod, "a", "q", Some(&pod("serviceAccountName: bot")));
    assert!(!related(&graph, "n1", "secrets", "a", "s"), "no longer used");
    assert!(related(&graph, "n1", "serviceaccounts", "a", "bot"));
}

/// The steps that adding a pod, its status, its update and its deletion take among so many others.
fn steps_among(others: usize) -> [usize; 4] {
    let mut graph = NodeGraph::default();
    let claim = "volumes: [{name: d, persistentVolumeClaim: {claimName: shared}}, {name: s, secret: {secretName: one}}]";
    for number in 0..others {
        let name = format!("other-{number}");
        let mut other = pod(claim);
        let on = Node::string(format!("n{}", number % 100 + 2));
        other.map_mut("spec").set("nodeName", on);
        graph.set(Source::Pod, "a", &name, Some(&other));
        let volume = node(&format!(
            "{{spec: {{claimRef: {{namespace: a, name: c{number}}}, csi: {{nodeStageSecretRef: {{namespace: b, name: stage}}}}}}}}"
        ));
        graph.set(Source::PersistentVolume, "", &name, Some(&volume));
    }
    let bound = node(
        "{spec: {claimRef: {namespace: a, name: shared}, csi: {nodeStageSecretRef: {namespace: b, name: stage}}}}",
    );
    graph.set(Source::PersistentVolume, "", "shared", Some(&bound));
    let mut steps_for = |object: Option<&Node<'_>>| {
        let before = graph.steps;
        graph.set(Source::Pod, "a", "p", object);
        graph.steps - before
    };
    let object = pod(claim);
    let mut with_status = object.clone();
    with_status.map_mut("status").set("phase", Node::string("Running"));
    [
        steps_for(Some(&object)),
        steps_for(Some(&with_status)),
        steps_for(Some(&pod("serviceAccountName: bot"))),
        steps_for(None),
    ]
}

#[test]
fn a_change_costs_what_the_object_refers_to_and_not_what_else_there_is() {
    let few = steps_among(100);
    // The pod, its claim and secret, and the secret behind the claim; a status without references costs nothing.
    assert_eq!(few, [4, 0, 6, 2]);
    assert_eq!(steps_among(3000), few);
}

/// Objects with few names, so that they refer to each other.
#[derive(Clone, Debug)]
enum Event {
    Pod { name: u8, on: u8, secret: Option<u8>, claim: Option<u8> },
    Volume { name: u8, claim: Option<u8>, secret: Option<u8> },
    PodGone(u8),
    VolumeGone(u8),
}

fn event() -> impl Strategy<Value = Event> {
    let some = || proptest::option::of(0..3_u8);
    prop_oneof![
        (0..4_u8, 0..3_u8, some(), some()).prop_map(|(name, on, secret, claim)| Event::Pod {
            name,
            on,
            secret,
            claim
        }),
        (0..3_u8, some(), some()).prop_map(|(name, claim, secret)| Event::Volume {
            name,
            claim,
            secret
        }),
        (0..4_u8).prop_map(Event::PodGone),
        (0..3_u8).prop_map(Event::VolumeGone),
    ]
}

fn object_of(event: &Event) -> Option<Node<'static>> {
    let mut object = Node::empty_map();
    match event {
        Event::Pod { on, secret, claim, .. } => {
            let spec = object.map_mut("spec");
            if *on > 0 {
                spec.set("nodeName", Node::string(format!("n{on}")));
            }
            let mut volumes = vec![];
            if let Some(secret) = secret {
                volumes.push(node(&format!("{{name: s, secret: {{secretName: s{secret}}}}}")));
            }
            if let Some(claim) = claim {
                let text = format!("{{name: c, persistentVolumeClaim: {{claimName: c{claim}}}}}");
                volumes.push(node(&text));
            }
            spec.set("volumes", Node::list(volumes));
        }
        Event::Volume { claim, secret, .. } => {
            let spec = object.map_mut("spec");
            if let Some(claim) = claim {
                spec.set("claimRef", node(&format!("{{namespace: a, name: c{claim}}}")));
            }
            if let Some(secret) = secret {
                spec.set("rbd", node(&format!("{{secretRef: {{name: s{secret}}}}}")));
            }
        }
        Event::PodGone(_) | Event::VolumeGone(_) => return None,
    }
    Some(object)
}

proptest! {
    /// After any sequence of events, the graph agrees with a walk over the existing objects.
    #[test]
    fn the_graph_says_what_a_walk_says(events in proptest::collection::vec(event(), 0..40)) {
        let mut graph = NodeGraph::default();
        let mut pods: BTreeMap<u8, Event> = BTreeMap::new();
        let mut volumes: BTreeMap<u8, Event> = BTreeMap::new();
        for event in events {
            let object = object_of(&event);
            match &event {
                Event::Pod { name, .. } | Event::PodGone(name) => {
                    graph.set(Source::Pod, "a", &format!("p{name}"), object.as_ref());
                    pods.insert(*name, event);
                }
                Event::Volume { name, .. } | Event::VolumeGone(name) => {
                    graph.set(Source::PersistentVolume, "", &format!("v{name}"), object.as_ref());
                    volumes.insert(*name, event);
                }
            }
        }
        for on in 1..3_u8 {
            let claimed = |claim_number: u8| pods.values().any(|pod| {
                matches!(pod, Event::Pod { on: at, claim: Some(claim), .. } if (*at, *claim) == (on, claim_number))
            });
            for number in 0..4_u8 {
                let has = |resource: &str, namespace: &str, letter: char| {
                    related(&graph, &format!("n{on}"), resource, namespace, &format!("{letter}{number}"))
                };
                let pod = matches!(pods.get(&number), Some(Event::Pod { on: at, .. }) if *at == on);
                prop_assert_eq!(has("pods", "a", 'p'), pod);
                prop_assert_eq!(has("persistentvolumeclaims", "a", 'c'), claimed(number));
                let volume = matches!(volumes.get(&number), Some(Event::Volume { claim: Some(claim), .. }) if claimed(*claim));
                prop_assert_eq!(has("persistentvolumes", "", 'v'), volume);
                let direct = pods.values().any(|pod| {
                    matches!(pod, Event::Pod { on: at, secret: Some(secret), .. } if (*at, *secret) == (on, number))
                });
                let through = volumes.values().any(|volume| {
                    matches!(volume, Event::Volume { claim: Some(claim), secret: Some(secret), .. } if *secret == number && claimed(*claim))
                });
                prop_assert_eq!(has("secrets", "a", 's'), direct || through);
            }
        }
    }
}
