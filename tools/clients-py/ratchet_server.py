"""A `ratchet serve` of one's own: started on a free port in a temporary folder, stopped, started again."""

import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.request

from kubernetes import client, config

TOKENS = 'admin-token,root,1,"system:masters"\nalice-token,alice,2\n'


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """One server process and the folder that it keeps its data in."""

    def __init__(self):
        self.binary = os.environ["RATCHET_BIN"]
        self.folder = tempfile.TemporaryDirectory(prefix="ratchet-py-")
        self.data = pathlib.Path(self.folder.name)
        self.port = free_port()
        (self.data / "tokens.csv").write_text(TOKENS)
        self.process = None
        self.start()

    def start(self):
        command = [self.binary, "serve", "--data-dir", self.folder.name]
        command += ["--bind-address", "127.0.0.1", "--secure-port", str(self.port)]
        command += ["--token-auth-file", str(self.data / "tokens.csv")]
        # A namespace has only the ConfigMaps that a test makes.
        command += ["--controllers", "*,-root-ca-certificate-publisher-controller"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        trusting = ssl._create_unverified_context()  # only to ask whether it is up
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError(f"ratchet serve ended with {self.process.returncode}")
            try:
                url = f"https://127.0.0.1:{self.port}/readyz"
                with urllib.request.urlopen(url, context=trusting, timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("ratchet serve did not become ready")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=90)

    def close(self):
        self.stop()
        self.folder.cleanup()

    def api(self):
        """A client with the administrator's certificate of the kubeconfig."""
        return config.new_client_from_config(str(self.data / "kubeconfig"))

    def api_with_token(self, token):
        """A client with a bearer token and nothing else."""
        settings = client.Configuration()
        settings.host = f"https://127.0.0.1:{self.port}"
        settings.ssl_ca_cert = str(self.data / "pki" / "ca.crt")
        settings.api_key = {"authorization": token}
        settings.api_key_prefix = {"authorization": "Bearer"}
        return client.ApiClient(settings)


class ServedTestCase(unittest.TestCase):
    """Tests with a server for the whole class and a namespace for each test."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        cls.api = cls.server.api()
        cls.core = client.CoreV1Api(cls.api)
        cls.apps = client.AppsV1Api(cls.api)

    def setUp(self):
        metadata = client.V1ObjectMeta(generate_name="t-")
        namespace = self.core.create_namespace(client.V1Namespace(metadata=metadata))
        self.namespace = namespace.metadata.name

    def config_map(self, name, **data):
        metadata = client.V1ObjectMeta(name=name, labels={"of": "test"})
        return client.V1ConfigMap(metadata=metadata, data=data)

    def create_config_map(self, name, **data):
        return self.core.create_namespaced_config_map(self.namespace, self.config_map(name, **data))
