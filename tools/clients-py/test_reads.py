"""Lists, pages and watches with the official Python client."""

import threading
import unittest

from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

from ratchet_server import ServedTestCase


class Lists(ServedTestCase):
    def test_list_and_selectors(self):
        for name in ("a", "b", "c"):
            self.create_config_map(name, key=name)
        self.core.patch_namespaced_config_map("b", self.namespace, {"metadata": {"labels": {"of": "other"}}})
        every = self.core.list_namespaced_config_map(self.namespace)
        self.assertEqual([item.metadata.name for item in every.items], ["a", "b", "c"])
        self.assertTrue(every.metadata.resource_version.isdigit())
        labelled = self.core.list_namespaced_config_map(self.namespace, label_selector="of in (test)")
        self.assertEqual([item.metadata.name for item in labelled.items], ["a", "c"])
        named = self.core.list_namespaced_config_map(self.namespace, field_selector="metadata.name=b")
        self.assertEqual([item.data for item in named.items], [{"key": "b"}])
        everywhere = self.core.list_config_map_for_all_namespaces(label_selector="of=test")
        self.assertIn("a", [item.metadata.name for item in everywhere.items])

    def test_pages_show_one_state_while_objects_change(self):
        names = [f"cm-{index:02}" for index in range(12)]
        for name in names:
            self.create_config_map(name)
        page = self.core.list_namespaced_config_map(self.namespace, limit=5)
        self.assertEqual(page.metadata.remaining_item_count, 7)
        first = page.metadata.resource_version
        seen = [item.metadata.name for item in page.items]
        self.core.delete_namespaced_config_map("cm-07", self.namespace)
        self.create_config_map("cm-061")
        while page.metadata._continue:
            token = page.metadata._continue
            page = self.core.list_namespaced_config_map(self.namespace, limit=5, _continue=token)
            self.assertEqual(page.metadata.resource_version, first)
            seen += [item.metadata.name for item in page.items]
        self.assertEqual(seen, names)

    def test_bad_continue_and_bad_version(self):
        cases = [
            ({"_continue": "nonsense!"}, 400, "continue key is not valid"),
            ({"resource_version": "abc"}, 400, "invalid resource version"),
            ({"resource_version_match": "Exact"}, 422, "is forbidden unless resourceVersion"),
            ({"label_selector": "a in b"}, 400, "unable to parse requirement"),
            ({"field_selector": "spec.nothing=1"}, 400, "is not a known field selector"),
        ]
        for arguments, code, text in cases:
            with self.subTest(arguments), self.assertRaises(ApiException) as caught:
                self.core.list_namespaced_config_map(self.namespace, **arguments)
            self.assertEqual(caught.exception.status, code)
            self.assertIn(text, caught.exception.body)


class Watches(ServedTestCase):
    def events(self, **arguments):
        stream = watch.Watch().stream(self.core.list_namespaced_config_map, self.namespace, **arguments)
        return [(event["type"], event["object"].metadata.name) for event in stream]

    def test_a_watch_ends_in_time_and_goes_on(self):
        start = self.core.list_namespaced_config_map(self.namespace).metadata.resource_version
        self.create_config_map("a", key="1")
        self.core.patch_namespaced_config_map("a", self.namespace, {"data": {"key": "2"}})
        self.core.delete_namespaced_config_map("a", self.namespace)
        expected = [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
        self.assertEqual(self.events(resource_version=start, timeout_seconds=1), expected)
        self.assertEqual(self.events(timeout_seconds=1), [])

    def test_a_watcher_resumes_where_it_stopped(self):
        watcher = watch.Watch()
        names = []

        def write():
            for index in range(20):
                self.create_config_map(f"w-{index:02}")

        writer = threading.Thread(target=write)
        writer.start()
        for event in watcher.stream(self.core.list_namespaced_config_map, self.namespace, resource_version="0"):
            names.append(event["object"].metadata.name)
            if len(names) == 7:
                break
        writer.join()
        resumed = self.events(resource_version=watcher.resource_version, timeout_seconds=2)
        names += [name for _, name in resumed]
        self.assertEqual(names, [f"w-{index:02}" for index in range(20)])

    def test_a_watch_survives_a_restart_of_the_server(self):
        self.create_config_map("before")
        version = self.core.list_namespaced_config_map(self.namespace).metadata.resource_version
        self.server.stop()
        self.server.start()
        self.create_config_map("after")
        self.assertEqual(self.events(resource_version=version, timeout_seconds=2), [("ADDED", "after")])

    def test_a_watch_begins_before_a_restart_of_the_server(self):
        self.create_config_map("a")
        # The store remembers how the state came to be, not only the server that wrote it.
        self.server.stop()
        self.server.start()
        self.assertEqual(self.events(resource_version="1", timeout_seconds=2), [("ADDED", "a")])

    def test_a_selection_is_entered_and_left(self):
        start = self.core.list_namespaced_config_map(self.namespace).metadata.resource_version
        self.create_config_map("a")
        self.core.patch_namespaced_config_map("a", self.namespace, {"metadata": {"labels": {"of": None}}})
        self.core.patch_namespaced_config_map("a", self.namespace, {"metadata": {"labels": {"of": "test"}}})
        events = self.events(resource_version=start, timeout_seconds=1, label_selector="of=test")
        self.assertEqual(events, [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")])


class Access(ServedTestCase):
    def test_who_is_unknown_and_who_may_not(self):
        stranger = client.CoreV1Api(self.server.api_with_token("no-such-token"))
        with self.assertRaises(ApiException) as caught:
            stranger.list_namespace()
        self.assertEqual(caught.exception.status, 401)
        alice = client.CoreV1Api(self.server.api_with_token("alice-token"))
        with self.assertRaises(ApiException) as caught:
            alice.list_namespaced_pod(self.namespace)
        self.assertEqual(caught.exception.status, 403)
        self.assertIn('User \\"alice\\" cannot list resource \\"pods\\"', caught.exception.body)

    def test_discovery(self):
        groups = {group.name for group in client.ApisApi(self.api).get_api_versions().groups}
        self.assertLessEqual({"apps", "batch", "rbac.authorization.k8s.io"}, groups)
        resources = {row.name: row for row in self.core.get_api_resources().resources}
        self.assertIn("pods/status", resources)
        self.assertEqual(resources["pods"].short_names, ["po"])
        self.assertEqual(client.VersionApi(self.api).get_code().minor, "36")


if __name__ == "__main__":
    unittest.main()
