"""Generated definitions and objects, counted as those of a project are."""

import json
import pathlib
import tempfile

import projects
from ratchet_server import ServedTestCase


def definition(number):
    group, kind = f"g{number % 3}.example.com", f"Thing{number}"
    column = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
    spec = {
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 0, "description": "how large it is"},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "port": {"x-kubernetes-int-or-string": True},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
        "x-kubernetes-validations": [{"rule": "self.size < 100", "message": "too large"}],
    }
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    version = lambda name, storage: {
        "name": name,
        "served": True,
        "storage": storage,
        "subresources": {"status": {}},
        "additionalPrinterColumns": [column] if number % 2 else [],
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"thing{number}s.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced" if number % 4 else "Cluster",
            "names": {"plural": f"thing{number}s", "kind": kind, "shortNames": [f"t{number}"]},
            "versions": [version("v1", True), version("v1beta1", False)],
        },
    }


def things(number):
    spec = {"size": number, "tags": ["x", "y"], "port": "http", "free": {"any": [1, {"b": None}]}}
    for version in ("v1", "v1beta1"):
        yield {
            "apiVersion": f"g{number % 3}.example.com/{version}",
            "kind": f"Thing{number}",
            "metadata": {"name": f"one-{version}"},
            "spec": spec,
        }


class Projects(ServedTestCase):
    def test_everything_of_a_generated_project_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(12):
                documents = [definition(number), *things(number)]
                text = "\n---\n".join(json.dumps(document) for document in documents)
                (pathlib.Path(folder) / f"{number}.yaml").write_text(text)
            counts = projects.count(folder, str(self.server.data / "kubeconfig"))
        self.assertEqual(dict(counts.failures), {})
        tried = {"accepted": 12, "served": 24, "tabled": 24, "published": 24}
        tried |= {"created": 24, "read": 24, "listed": 24, "validated": 24}
        self.assertEqual(dict(counts.tried), tried)
