"""Patches, errors with their causes, subresources and tokens with the official Python client."""

import json
import unittest

from kubernetes import client, dynamic
from kubernetes.client.exceptions import ApiException

from ratchet_server import ServedTestCase

LABELS = {"app": "web"}


def deployment(name):
    container = {"name": "web", "image": "nginx:1"}
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": LABELS}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def pod(name, **spec):
    spec = {"containers": [{"name": "c", "image": "busybox"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


class Writes(ServedTestCase):
    def refused(self, call, *arguments, **named):
        with self.assertRaises(ApiException) as caught:
            call(*arguments, **named)
        return caught.exception.status, json.loads(caught.exception.body)

    def test_update_and_conflict(self):
        stale = self.create_config_map("a", key="1")
        fresh = self.core.read_namespaced_config_map("a", self.namespace)
        fresh.data = {"key": "2"}
        written = self.core.replace_namespaced_config_map("a", self.namespace, fresh)
        self.assertGreater(int(written.metadata.resource_version), int(stale.metadata.resource_version))
        code, status = self.refused(self.core.replace_namespaced_config_map, "a", self.namespace, stale)
        self.assertEqual((code, status["reason"]), (409, "Conflict"))
        again = self.core.replace_namespaced_config_map("a", self.namespace, written)
        self.assertEqual(again.metadata.resource_version, written.metadata.resource_version)

    def test_every_kind_of_patch(self):
        self.apps.create_namespaced_deployment(self.namespace, deployment("web"))
        patch = self.apps.patch_namespaced_deployment
        sidecar = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "busybox"}]}}}}
        merged = patch("web", self.namespace, sidecar, _content_type="application/strategic-merge-patch+json")
        self.assertEqual({c.name for c in merged.spec.template.spec.containers}, {"web", "side"})
        replaced = patch("web", self.namespace, sidecar, _content_type="application/merge-patch+json")
        self.assertEqual([c.name for c in replaced.spec.template.spec.containers], ["side"])
        steps = [{"op": "test", "path": "/spec/replicas", "value": 2}, {"op": "replace", "path": "/spec/replicas", "value": 5}]
        stepped = patch("web", self.namespace, steps, _content_type="application/json-patch+json")
        self.assertEqual(stepped.spec.replicas, 5)
        code, status = self.refused(patch, "web", self.namespace, steps, _content_type="application/json-patch+json")
        self.assertEqual((code, status["reason"]), (422, "Invalid"))

    def test_errors_have_causes(self):
        service = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 0}], "externalIPs": ["1.2.3.04"]}}
        code, status = self.refused(self.core.create_namespaced_service, self.namespace, service)
        self.assertEqual((code, status["reason"], status["details"]["kind"]), (422, "Invalid", "Service"))
        causes = {cause["field"]: cause["reason"] for cause in status["details"]["causes"]}
        self.assertEqual(causes["spec.ports[0].port"], "FieldValueInvalid")
        self.assertEqual(causes["spec.externalIPs[0]"], "FieldValueInvalid")
        code, status = self.refused(self.core.read_namespaced_config_map, "nope", self.namespace)
        self.assertEqual((code, status["message"]), (404, 'configmaps "nope" not found'))
        self.create_config_map("dup")
        code, status = self.refused(self.core.create_namespaced_config_map, self.namespace, self.config_map("dup"))
        self.assertEqual((code, status["reason"]), (409, "AlreadyExists"))

    def test_delete_with_preconditions(self):
        made = self.create_config_map("a")
        wrong = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="no"))
        code, status = self.refused(self.core.delete_namespaced_config_map, "a", self.namespace, body=wrong)
        self.assertEqual((code, status["reason"]), (409, "Conflict"))
        right = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid=made.metadata.uid))
        gone = self.core.delete_namespaced_config_map("a", self.namespace, body=right)
        gone = gone if isinstance(gone, dict) else gone.to_dict()
        self.assertEqual((gone["status"], gone["details"]["uid"]), ("Success", made.metadata.uid))

    def test_delete_collection(self):
        for name in ("a", "b"):
            self.create_config_map(name)
        self.core.delete_collection_namespaced_config_map(self.namespace, label_selector="of=test")
        self.assertEqual(self.core.list_namespaced_config_map(self.namespace, label_selector="of=test").items, [])

    def test_dry_run_and_field_validation(self):
        shown = self.core.create_namespaced_config_map(self.namespace, self.config_map("dry"), dry_run="All")
        self.assertIsNone(shown.metadata.resource_version)
        code, _ = self.refused(self.core.read_namespaced_config_map, "dry", self.namespace)
        self.assertEqual(code, 404)
        # The typed methods refuse unknown fields by themselves; the dynamic client sends what it is given.
        maps = dynamic.DynamicClient(self.api).resources.get(api_version="v1", kind="ConfigMap")
        odd = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "odd"}, "dta": {}}
        strict = [("fieldValidation", "Strict")]
        code, status = self.refused(maps.create, body=odd, namespace=self.namespace, query_params=strict)
        self.assertEqual(code, 400)
        self.assertIn('strict decoding error: unknown field "dta"', status["message"])
        made = maps.create(body=odd, namespace=self.namespace)
        self.assertNotIn("dta", made.to_dict())

    def test_scale_and_status(self):
        self.apps.create_namespaced_deployment(self.namespace, deployment("web"))
        scale = self.apps.read_namespaced_deployment_scale("web", self.namespace)
        self.assertEqual((scale.spec.replicas, scale.status.selector), (2, "app=web"))
        scale.spec.replicas = 7
        self.apps.replace_namespaced_deployment_scale("web", self.namespace, scale)
        self.apps.patch_namespaced_deployment_status("web", self.namespace, {"status": {"replicas": 3}, "spec": {"replicas": 1}})
        read = self.apps.read_namespaced_deployment("web", self.namespace)
        self.assertEqual((read.spec.replicas, read.status.replicas), (7, 3))
        self.assertEqual(read.metadata.generation, 2)

    def test_pod_status_binding_and_grace(self):
        # The server's own controller makes the account that a pod without one runs as.
        made = self.core.create_namespaced_pod(self.namespace, pod("p"))
        self.assertEqual(made.status.phase, "Pending")
        target = client.V1ObjectReference(kind="Node", name="n1")
        body = client.V1Binding(metadata=client.V1ObjectMeta(name="p"), target=target)
        self.core.create_namespaced_pod_binding("p", self.namespace, body, _preload_content=False)
        status = {"status": {"phase": "Running", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]}}
        running = self.core.patch_namespaced_pod_status("p", self.namespace, status)
        self.assertEqual((running.spec.node_name, running.status.pod_ip), ("n1", "10.1.2.3"))
        going = self.core.delete_namespaced_pod("p", self.namespace)
        self.assertIsNotNone(going.metadata.deletion_timestamp)
        self.core.delete_namespaced_pod("p", self.namespace, grace_period_seconds=0)
        code, _ = self.refused(self.core.read_namespaced_pod, "p", self.namespace)
        self.assertEqual(code, 404)

    def test_a_token_of_a_service_account(self):
        self.core.create_namespaced_service_account(self.namespace, {"metadata": {"name": "robot"}})
        request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600))
        token = self.core.create_namespaced_service_account_token("robot", self.namespace, request)
        self.assertEqual(token.status.token.count("."), 2)
        robot = self.server.api_with_token(token.status.token)
        review = client.AuthenticationV1Api(robot).create_self_subject_review({})
        name = f"system:serviceaccount:{self.namespace}:robot"
        self.assertEqual(review.status.user_info.username, name)
        with self.assertRaises(ApiException) as caught:
            client.CoreV1Api(robot).list_namespaced_secret(self.namespace)
        self.assertEqual(caught.exception.status, 403)
        self.assertIn(name, caught.exception.body)

    def test_the_dynamic_client(self):
        anything = dynamic.DynamicClient(self.api)
        maps = anything.resources.get(api_version="v1", kind="ConfigMap")
        made = maps.create(body={"metadata": {"name": "dyn"}, "data": {"a": "b"}}, namespace=self.namespace)
        self.assertEqual(made.data.a, "b")
        found = maps.get(namespace=self.namespace, label_selector="!of").items
        self.assertIn("dyn", [item.metadata.name for item in found])
        maps.delete(name="dyn", namespace=self.namespace)

    def test_a_namespace_under_deletion_takes_nothing_new(self):
        self.core.patch_namespace(self.namespace, {"metadata": {"finalizers": ["example.com/wait"]}})
        self.core.delete_namespace(self.namespace)
        code, status = self.refused(self.core.create_namespaced_config_map, self.namespace, self.config_map("late"))
        self.assertEqual((code, status["details"]["causes"][0]["reason"]), (403, "NamespaceTerminating"))
        self.core.patch_namespace(self.namespace, {"metadata": {"finalizers": None}})


if __name__ == "__main__":
    unittest.main()
