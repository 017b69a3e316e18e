# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the wheel of the package for pip (PEP 517), with nothing but Python's own library."""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile
from typing import Any, Dict, Optional

HERE = os.path.dirname(os.path.abspath(__file__))


def _field(name: str) -> str:
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        found = re.search(r'^%s = "(.*)"$' % name, file.read(), re.M)
    assert found, name
    return found.group(1)


def _metadata() -> str:
    return (
        "Metadata-Version: 2.1\nName: perfctr\nVersion: %s\nSummary: %s\n"
        "License: LGPL-2.1-or-later\nRequires-Python: %s\n"
        % (_field("version"), _field("description"), _field("requires-python"))
    )


def _sources() -> Dict[str, bytes]:
    package = os.path.join(HERE, "perfctr")
    found = {}
    for name in sorted(os.listdir(package)):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(package, name), "rb") as file:
                found["perfctr/" + name] = file.read()
    return found


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    about = "perfctr-%s.dist-info/" % _field("version")
    files = _sources()
    files[about + "METADATA"] = _metadata().encode()
    files[about + "WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: perfctr\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = ""
    for name, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=")
        record += "%s,sha256=%s,%d\n" % (name, digest.decode(), len(contents))
    files[about + "RECORD"] = (record + about + "RECORD,,\n").encode()
    wheel = "perfctr-%s-py3-none-any.whl" % _field("version")
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for name, contents in files.items():
            archive.writestr(zipfile.ZipInfo(name), contents)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    top = "perfctr-%s" % _field("version")
    files = _sources()
    files["PKG-INFO"] = _metadata().encode()
    for name in ("pyproject.toml", "build.py"):
        with open(os.path.join(HERE, name), "rb") as file:
            files[name] = file.read()
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz") as archive:
        for name, contents in files.items():
            member = tarfile.TarInfo(top + "/" + name)
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))
    return top + ".tar.gz"
