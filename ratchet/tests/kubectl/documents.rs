//! Tests of discovery and documentation: `explain`, `api-resources`, `api-versions`, `cluster-info`, `version`.

use super::console::Line;
use super::serving::Serving;

const DOCUMENTS: &[Line] = &[
    ("explain pod", "KIND:       Pod\nVERSION:    v1"),
    ("explain pod.spec.containers", "FIELD: containers <[]Container>"),
    (
        "explain deployment.spec.template.spec.affinity.nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
    ),
    ("explain svc.spec.ports.appProtocol", "FIELD: appProtocol <string>"),
    ("explain deploy --recursive", "containerPort\t<integer> -required-"),
    ("explain hpa --api-version=autoscaling/v1", "VERSION:    v1"),
    ("explain hpa.spec.metrics", "GROUP:      autoscaling"),
    ("explain pod.spec --output=plaintext-openapiv2", "RESOURCE: spec <Object>"),
    ("api-resources", "deployments"),
    ("api-resources -o wide", "create,delete,deletecollection,get,list,patch,update,watch"),
    (
        "api-resources --namespaced=false --api-group=rbac.authorization.k8s.io -o name",
        "clusterroles.rbac.authorization.k8s.io",
    ),
    ("api-resources --verbs=list,create -o name", "persistentvolumeclaims"),
    ("api-versions", "networking.k8s.io/v1\n"),
    ("cluster-info", "is running at"),
    ("version", "Server Version: v1.36"),
    ("config current-context", "\n"),
    ("config view --minify", "DATA+OMITTED"),
    ("config get-contexts -o name", "\n"),
];

#[test]
fn the_server_explains_itself() {
    let (_serving, console) = Serving::start();
    console.all_ok(DOCUMENTS);
    console.all_refused(&[
        ("explain pods.spec.nope", "error: field \"nope\" does not exist"),
        ("explain nosuch", "the server doesn't have a resource type \"nosuch\""),
    ]);
}
