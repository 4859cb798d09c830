"""What Graph answers, read as far as all its answers are alike."""

import json
import re
from typing import Any

LINKS = ("@odata.nextLink", "@odata.deltaLink")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character outside of the first 65,536, which may have lost its other half where a text was cut."""


def read(content: bytes) -> dict[str, Any]:
    """Empty for no content. ValueError where it is no object, or one whose `value` or links are not what they are anywhere."""
    if not content.strip():
        return {}
    text = content.decode(json.detect_encoding(content), "replace")
    try:
        answer = json.loads(text)
        if _HALF.search(text):
            answer = json.loads(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("too deep") from error
    if not isinstance(answer, dict) or not _is_listing(answer.get("value", [])):
        raise ValueError("no answer of Graph's")
    if not all(isinstance(answer.get(link, ""), str) for link in LINKS):
        raise ValueError("no link")
    return answer


def _is_listing(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and isinstance(one.get("id", ""), str) for one in value)
