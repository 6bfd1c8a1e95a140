"""Counts how a server takes the definitions and objects of a project.

    python3 projects.py FOLDER --kubeconfig DATA/kubeconfig [--kubectl kubectl] [--show 5]

FOLDER holds manifests, in any depth. Every CustomResourceDefinition is created; then every version is looked for in
discovery and OpenAPI, explained (with kubectl, if there is one) and listed as a table; every custom object is created,
read and listed, and refused after it was damaged in one place. Other objects are not sent. One line a count, and the
first failures of each; the exit status is 1 if anything failed. Examples of projects are not all valid: what is refused
has to be looked at.
"""

import argparse
import base64
import collections
import copy
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import yaml

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Connection:
    """A server, as a kubeconfig names it."""

    def __init__(self, kubeconfig):
        settings = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
        cluster, user = settings["clusters"][0]["cluster"], settings["users"][0]["user"]
        self.url = cluster["server"]
        self.token = user.get("token")
        base = pathlib.Path(kubeconfig).parent
        with tempfile.TemporaryDirectory(prefix="projects-") as folder:
            file = lambda of, name: self._file(base, pathlib.Path(folder), of, name)
            self.context = ssl.create_default_context(cafile=file(cluster, "certificate-authority"))
            certificate, key = file(user, "client-certificate"), file(user, "client-key")
            if certificate:
                self.context.load_cert_chain(certificate, key)

    @staticmethod
    def _file(base, folder, of, name):
        if of.get(f"{name}-data"):
            path = folder / name
            path.write_bytes(base64.b64decode(of[f"{name}-data"]))
            return str(path)
        return str(base / of[name]) if of.get(name) else None

    def send(self, method, path, body=None, accept="application/json"):
        """The status code and the decoded answer."""
        headers = {"Accept": accept, "Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body, default=str).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                code, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            code, text = error.code, error.read()
        try:
            return code, json.loads(text)
        except ValueError:
            return code, {"message": text.decode(errors="replace").strip()}


class Counts:
    """What was tried and what failed, by name."""

    def __init__(self):
        self.tried, self.failures = collections.Counter(), collections.defaultdict(list)

    def record(self, name, what, is_good, why=""):
        self.tried[name] += 1
        if not is_good:
            self.failures[name].append(f"{what}: {why}")
        return is_good

    def report(self, show):
        for name, tried in self.tried.items():
            failed = self.failures[name]
            print(f"{name:12} {tried - len(failed):5} of {tried}")
            for failure in failed[:show]:
                print(f"    {failure[:400]}")
        return not any(self.failures.values())


def manifests(folder):
    """All objects of a folder; what is no YAML, as templates are not, is left out."""
    found = []
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix not in (".yaml", ".yml", ".json") or not path.is_file():
            continue
        try:
            documents = list(yaml.safe_load_all(path.read_text()))
        except (yaml.YAMLError, UnicodeDecodeError):
            continue
        for document in documents:
            items = document.get("items") if isinstance(document, dict) else None
            is_list = isinstance(items, list) and str(document.get("kind", "")).endswith("List")
            found += items if is_list else [document]
    return [one for one in found if isinstance(one, dict) and one.get("kind") and one.get("apiVersion")]


def newest(definitions):
    """One definition for each name: the last, but never an experimental one over another of more versions."""
    by_name = {}
    for definition in definitions:
        name = definition["metadata"]["name"]
        known = by_name.get(name)
        if known is None or len(definition["spec"]["versions"]) >= len(known["spec"]["versions"]):
            by_name[name] = definition
    return list(by_name.values())


def create_definition(server, definition, counts):
    name = definition["metadata"]["name"]
    definition = copy.deepcopy(definition)
    definition.pop("status", None)
    # Nobody serves the conversion webhooks of these projects here.
    definition["spec"].pop("conversion", None)
    code, answer = server.send("POST", DEFINITIONS, definition)
    return counts.record("accepted", name, code in (201, 409), f"{code} {answer.get('message')}")


def check_version(server, definition, version, counts, kubectl, kubeconfig):
    spec = definition["spec"]
    group, names = spec["group"], spec["names"]
    what = f"{names['plural']}.{version['name']}.{group}"
    root = f"/apis/{group}/{version['name']}"
    code, answer = server.send("GET", root)
    resources = [resource["name"] for resource in answer.get("resources") or []]
    counts.record("served", what, names["plural"] in resources, f"{code} {resources}")
    code, answer = server.send("GET", f"{root}/{names['plural']}", accept=TABLE)
    columns = [column["name"] for column in answer.get("columnDefinitions") or []]
    wanted = [column["name"] for column in version.get("additionalPrinterColumns") or []] or ["Age"]
    counts.record("tabled", what, columns == ["Name"] + wanted, f"{code} {columns} {answer.get('message')}")
    code, answer = server.send("GET", f"/openapi/v3{root}")
    kind = {"group": group, "version": version["name"], "kind": names["kind"]}
    schemas = ((answer.get("components") or {}).get("schemas") or {}).values()
    found = [schema for schema in schemas if kind in schema.get("x-kubernetes-group-version-kind", [])]
    counts.record("published", what, len(found) == 1, f"{code}")
    if kubectl:
        command = [kubectl, "--kubeconfig", kubeconfig, "explain", names["plural"]]
        command += ["--api-version", f"{group}/{version['name']}", "--recursive"]
        done = subprocess.run(command, capture_output=True, text=True)
        is_good = done.returncode == 0 and f"KIND:       {names['kind']}" in done.stdout
        counts.record("explained", what, is_good, done.stderr or done.stdout)


def damaged(node, schema, depth=0):
    """The object with one value of another type than its schema says; none if no value has a plain type."""
    if depth > 6 or not isinstance(node, dict):
        return None
    for name, property in sorted((schema.get("properties") or {}).items()):
        if name not in node or (depth == 0 and name in ("apiVersion", "kind", "metadata", "status")):
            continue
        is_plain = property.get("type") in ("string", "integer", "boolean", "array")
        if is_plain and not property.get("x-kubernetes-int-or-string"):
            wrong = 7 if property["type"] in ("string", "array") else "seven"
            return {**node, name: wrong}
        inner = damaged(node[name], property, depth + 1)
        if inner is not None:
            return {**node, name: inner}
    return None


def check_object(server, definition, version, object, counts):
    spec = definition["spec"]
    names = spec["names"]
    metadata = object.setdefault("metadata", {})
    name = metadata.get("name") or metadata.get("generateName", "")
    what = f"{names['kind']} {object['apiVersion']} {name}"
    for server_field in ("resourceVersion", "uid", "creationTimestamp", "generation", "managedFields"):
        metadata.pop(server_field, None)
    root = f"/apis/{spec['group']}/{version['name']}"
    if spec["scope"] == "Namespaced":
        namespace = metadata.setdefault("namespace", "default")
        server.send("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        root += f"/namespaces/{namespace}"
    path = f"{root}/{names['plural']}"
    code, answer = server.send("POST", path, object)
    if not counts.record("created", what, code in (201, 409), f"{code} {answer.get('message')}"):
        return
    code, answer = server.send("GET", f"{path}/{urllib.parse.quote(name)}")
    counts.record("read", what, code == 200 or not metadata.get("name"), f"{code} {answer.get('message')}")
    code, answer = server.send("GET", path, accept=TABLE)
    widths = {len(row["cells"]) for row in answer.get("rows") or []}
    counts.record("listed", what, widths == {len(answer.get("columnDefinitions") or [])}, f"{code}")
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    wrong = damaged(object, schema)
    if wrong is not None:
        wrong = {**wrong, "metadata": {**metadata, "name": f"{name or 'x'}-damaged"}}
        code, answer = server.send("POST", f"{path}?dryRun=All", wrong)
        counts.record("validated", what, code == 422, f"{code} {answer.get('message')}")


def count(folder, kubeconfig, kubectl=None):
    """Sends everything of a folder, and returns the counts."""
    server, counts = Connection(kubeconfig), Counts()
    everything = manifests(folder)
    of_definitions = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    definitions = newest(one for one in everything if (one["apiVersion"], one["kind"]) == of_definitions)
    kinds = {}
    for definition in definitions:
        if not create_definition(server, definition, counts):
            continue
        for version in definition["spec"]["versions"]:
            if version.get("served"):
                check_version(server, definition, version, counts, kubectl, kubeconfig)
                api_version = f"{definition['spec']['group']}/{version['name']}"
                kinds[api_version, definition["spec"]["names"]["kind"]] = definition, version
    for object in everything:
        found = kinds.get((object["apiVersion"], object["kind"]))
        if found:
            check_object(server, *found, object, counts)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--kubectl", help="explains every version with this program")
    parser.add_argument("--show", type=int, default=5, help="how many failures of each sort are shown")
    arguments = parser.parse_args()
    counts = count(arguments.folder, arguments.kubeconfig, arguments.kubectl)
    sys.exit(0 if counts.report(arguments.show) else 1)


if __name__ == "__main__":
    main()
