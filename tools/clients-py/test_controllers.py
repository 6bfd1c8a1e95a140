"""What controllers do: a custom resource, server-side apply, a watch, finalizers and garbage collection."""

import json
import time
import unittest

from kubernetes import client, dynamic, watch
from kubernetes.client.exceptions import ApiException

from ratchet_server import ServedTestCase

GROUP, VERSION, PLURAL = "example.com", "v1", "widgets"
FINALIZER = "example.com/cleanup"
PORT = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
}
SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "minimum": 1, "default": 3},
        "ports": {
            "type": "array",
            "items": PORT,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
    },
    "x-kubernetes-validations": [{"rule": "self.size < 100", "message": "too large"}],
}
STATUS = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}},
            }
        ],
    },
}


def widget(name, **spec):
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


class Controllers(ServedTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        definitions = client.ApiextensionsV1Api(cls.api)
        definitions.create_custom_resource_definition(DEFINITION)
        # Established when its write is answered.
        made = definitions.read_custom_resource_definition("widgets.example.com")
        conditions = {one.type: one.status for one in (made.status and made.status.conditions) or []}
        if conditions.get("Established") != "True":
            raise unittest.SkipTest("needs custom resources and server-side apply in ratchet serve")
        cls.objects = client.CustomObjectsApi(cls.api)

    def place(self, *more):
        return (GROUP, VERSION, self.namespace, PLURAL, *more)

    def create(self, name, **spec):
        return self.objects.create_namespaced_custom_object(*self.place(), widget(name, **spec))

    def refused(self, call, *arguments, **named):
        with self.assertRaises(ApiException) as caught:
            call(*arguments, **named)
        return caught.exception.status, json.loads(caught.exception.body)

    def test_defaults_rules_and_status(self):
        made = self.create("a")
        self.assertEqual((made["spec"]["size"], made["metadata"]["generation"]), (3, 1))
        code, status = self.refused(self.create, "b", size=100)
        self.assertEqual((code, status["reason"]), (422, "Invalid"))
        self.assertIn("too large", status["message"])
        body = {"status": {"ready": True}, "spec": {"size": 9}}
        patched = self.objects.patch_namespaced_custom_object_status(*self.place("a"), body)
        self.assertEqual((patched["spec"]["size"], patched["status"]["ready"]), (3, True))

    def test_two_managers_apply_one_object(self):
        widgets = dynamic.DynamicClient(self.api).resources.get(api_version="example.com/v1", kind="Widget")

        def apply(manager, *ports):
            body = widget("a", ports=list(ports))
            made = widgets.server_side_apply(body=body, name="a", namespace=self.namespace, field_manager=manager)
            return made.to_dict()

        apply("one", {"name": "http", "port": 80})
        both = apply("two", {"name": "https", "port": 443})
        self.assertEqual([port["name"] for port in both["spec"]["ports"]], ["http", "https"])
        managers = {entry["manager"] for entry in both["metadata"]["managedFields"]}
        self.assertLessEqual({"one", "two"}, managers)
        code, status = self.refused(apply, "two", {"name": "http", "port": 81})
        self.assertEqual((code, status["reason"]), (409, "Conflict"))
        self.assertEqual(apply("one")["spec"]["ports"], [{"name": "https", "port": 443}])

    def test_a_watch_sees_custom_objects(self):
        start = self.objects.list_namespaced_custom_object(*self.place())["metadata"]["resourceVersion"]
        self.create("a")
        self.objects.delete_namespaced_custom_object(*self.place("a"))
        stream = watch.Watch().stream(
            self.objects.list_namespaced_custom_object, *self.place(), resource_version=start, timeout_seconds=1
        )
        events = [(event["type"], event["object"]["metadata"]["name"]) for event in stream]
        self.assertEqual(events, [("ADDED", "a"), ("DELETED", "a")])

    def test_a_finalizer_holds_an_object_and_its_owner_goes_last(self):
        owner = self.create("a")
        reference = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "a", "uid": owner["metadata"]["uid"]}
        owned = {"metadata": {"name": "owned", "ownerReferences": [reference]}}
        self.core.create_namespaced_config_map(self.namespace, owned)
        patch = self.objects.patch_namespaced_custom_object
        patch(*self.place("a"), {"metadata": {"finalizers": [FINALIZER]}})
        self.objects.delete_namespaced_custom_object(*self.place("a"))
        going = self.objects.get_namespaced_custom_object(*self.place("a"))
        self.assertIn("deletionTimestamp", going["metadata"])
        patch(*self.place("a"), {"metadata": {"finalizers": None}})
        code, _ = self.refused(self.objects.get_namespaced_custom_object, *self.place("a"))
        self.assertEqual(code, 404)
        for _ in range(600):
            if not self.core.list_namespaced_config_map(self.namespace, label_selector="!of").items:
                return
            time.sleep(0.05)
        self.fail("what it owned is still there")


if __name__ == "__main__":
    unittest.main()
