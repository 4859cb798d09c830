"""The Prefer header: what the caller would like, by small names."""

import re
from collections.abc import Mapping


def preferences(headers: Mapping[str, str]) -> dict[str, str]:
    """{"idtype": "ImmutableId", "outlook.timezone": "W. Europe Standard Time", "odata.maxpagesize": "50"}"""
    found = re.findall(r'([\w.-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;]+)))?', headers.get("prefer", ""))
    return {name.lower(): quoted or plain for name, quoted, plain in found}
