"""Folders as somebody sees them who may not do everything."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def plain_user() -> Iterator[Path]:
    """A folder of a user whom the modes of files bind, which they don't bind root."""
    folder = Path(tempfile.mkdtemp(prefix="plain-user-"))
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root:
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        for parent, folders, _ in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(parent, name), 0o700)
        shutil.rmtree(folder, ignore_errors=True)
