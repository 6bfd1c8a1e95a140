//! What is written at one server is in force at another that runs already: new APIs and new rights.

use crate::server::Server;
use crate::{MAPS, create, eventually, start};
use etcd_peer::{Cluster, required_programs};
use serde_json::json;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
const ACCESS: &str = "/apis/rbac.authorization.k8s.io/v1";

fn start_two(cluster: &Cluster, homes: &[tempfile::TempDir; 2]) -> [Server; 2] {
    homes.each_ref().map(|home| start(home.path(), cluster, &[]))
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_definition_of_one_server_is_served_by_another() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [one, other] = start_two(&cluster, &homes);
        assert_eq!(other.get(WIDGETS).0, 404);

        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let version = json!({"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": schema}});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.example.com"},
            "spec": {
                "group": "example.com", "scope": "Namespaced", "versions": [version],
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                    "listKind": "WidgetList"},
            },
        });
        create(&one, DEFINITIONS, &definition.to_string());
        let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": {"name": "w"}, "spec": {"size": 1}});
        eventually("the other server serves the new API", || {
            other.request("POST", WIDGETS, &widget.to_string()).0 == 201
        });
        eventually("so does the first", || one.get(&format!("{WIDGETS}/w")).0 == 200);

        let definition = format!("{DEFINITIONS}/widgets.example.com");
        assert_eq!(other.request("DELETE", &definition, "").0, 200);
        for server in [&one, &other] {
            eventually("the API is gone everywhere", || server.get(WIDGETS).0 == 404);
        }
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_right_given_at_one_server_holds_at_another() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [one, other] = start_two(&cluster, &homes);
        let reads = |server: &Server| {
            server.request_with_headers("Impersonate-User: jane\r\n", "GET", MAPS, "").0
        };
        assert_eq!((reads(&one), reads(&other)), (403, 403));

        let rule = json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]});
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "reader"}, "rules": [rule],
        });
        create(&one, &format!("{ACCESS}/clusterroles"), &role.to_string());
        let reference = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"});
        let subject =
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"});
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "readers"}, "roleRef": reference, "subjects": [subject],
        });
        create(&one, &format!("{ACCESS}/clusterrolebindings"), &binding.to_string());
        for server in [&other, &one] {
            eventually("the right holds everywhere", || reads(server) == 200);
        }

        let binding = format!("{ACCESS}/clusterrolebindings/readers");
        assert_eq!(other.request("DELETE", &binding, "").0, 200);
        for server in [&one, &other] {
            eventually("the right is taken everywhere", || reads(server) == 403);
        }
    }
}
