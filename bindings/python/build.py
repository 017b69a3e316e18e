# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the wheel of the package for pip (PEP 517), with nothing but Python's own library. Where there are a C compiler
and Python's headers it has the module _quick as well, without which the package does the same more slowly."""

import base64
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
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
        if name.endswith((".py", ".pyi", ".c")) or name == "py.typed":
            with open(os.path.join(package, name), "rb") as file:
                found["perfctr/" + name] = file.read()
    return found


def _compile() -> Optional[bytes]:
    """The module, or None where it can't be compiled, or is not for this Python."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    cc = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    source = os.path.join(HERE, "perfctr", "_quick.c")
    headers = {sysconfig.get_path(name) for name in ("include", "platinclude")}
    with tempfile.TemporaryDirectory() as directory:
        to = os.path.join(directory, "_quick.so")
        command = shlex.split(cc) + ["-O2", "-fPIC", "-shared", *("-I" + path for path in sorted(headers))]
        for name in ("CPPFLAGS", "CFLAGS", "LDFLAGS"):
            command += shlex.split(os.environ.get(name, ""))
        try:
            subprocess.run(command + [source, "-o", to], check=True, capture_output=True)
            with open(to, "rb") as file:
                return file.read()
        except (OSError, subprocess.CalledProcessError) as why:
            print("perfctr: _quick is left out, so that regions take more instructions: %s" % why)
            print(getattr(why, "stderr", b"").decode(errors="replace"))
            return None


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    about = "perfctr-%s.dist-info/" % _field("version")
    files = {name: data for name, data in _sources().items() if not name.endswith(".c")}
    module, tag = _compile(), "py3-none-any"
    if module:
        files["perfctr/_quick.abi3.so"] = module
        tag = "cp39-abi3-" + re.sub("[-.]", "_", sysconfig.get_platform())
    files[about + "METADATA"] = _metadata().encode()
    files[about + "WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: perfctr\nRoot-Is-Purelib: %s\nTag: %s\n"
        % ("false" if module else "true", tag)
    ).encode()
    record = ""
    for name, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=")
        record += "%s,sha256=%s,%d\n" % (name, digest.decode(), len(contents))
    files[about + "RECORD"] = (record + about + "RECORD,,\n").encode()
    wheel = "perfctr-%s-%s.whl" % (_field("version"), tag)
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
