"""Folders as somebody sees them who may not do everything."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CAPABILITIES_V3 = 0x20080522
READS_ANYTHING = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, by which root may do what a file's mode forbids."""


@pytest.fixture
def plain_user(tmp_path: Path) -> Iterator[Path]:
    """A folder of somebody whom the modes of files bind, which they don't bind root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        yield tmp_path
        return
    if not sys.platform.startswith("linux"):
        pytest.skip("root can't be bound by modes here")
    header, held = (ctypes.c_uint32 * 2)(CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(header, held) == 0
    before = held[0]
    held[0] = before & ~READS_ANYTHING
    assert libc.capset(header, held) == 0
    try:
        yield tmp_path
    finally:
        held[0] = before
        assert libc.capset(header, held) == 0
