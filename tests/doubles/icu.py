"""The skeletons that ICU makes of letters, where that library is on the machine, to hold the table of confusables against.

risk/confusables.py holds each letter beyond ASCII whose skeleton, in small letters, is made of letters, digits and
the marks of addresses alone, unless NFKC and lower case make ASCII of it anyway.
"""

import ctypes
from collections.abc import Callable
from pathlib import Path

VERSION = 72
"""That of Unicode 15.0, by which the table was made."""
PLACES = ("/usr/lib", "/usr/lib64", "/usr/local/lib")


def skeletons() -> Callable[[str], str] | None:
    """None where ICU of that version is not there."""
    name = f"libicui18n.so.{VERSION}"
    found = next((path for place in PLACES for path in (*Path(place).glob(name), *Path(place).glob(f"*/{name}"))), None)
    if found is None:
        return None
    library = ctypes.CDLL(str(found))
    error = ctypes.c_int(0)
    opened = getattr(library, f"uspoof_open_{VERSION}")
    opened.restype = ctypes.c_void_p
    checker = ctypes.c_void_p(opened(ctypes.byref(error)))
    convert = getattr(library, f"uspoof_getSkeletonUTF8_{VERSION}")
    convert.restype = ctypes.c_int32

    def skeleton(text: str) -> str:
        given, room = text.encode(), ctypes.create_string_buffer(1024)
        failed = ctypes.c_int(0)
        length = convert(checker, ctypes.c_uint32(0), given, ctypes.c_int32(len(given)), room, 1024, ctypes.byref(failed))
        return room.raw[:length].decode() if failed.value <= 0 else text

    return skeleton
