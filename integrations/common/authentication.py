"""What the server that took a mail in says of its sender (RFC 8601)."""

import re
from collections.abc import Sequence

from integrations.common.headers import one_line

_COMMENT = re.compile(r"\([^()]{0,500}\)")
_FAILED = re.compile(r";\s{0,9}dmarc\s{0,9}=\s{0,9}fail\b", re.IGNORECASE)
_LONGEST = 4000


def is_forged(headers: Sequence[tuple[str, str]]) -> bool:
    """Whether the sender's domain disowns it (DMARC). `headers` in their order, names in lower case: only the topmost counts,
    for servers put theirs above what came with the mail; and only a failure, for anybody can write that all is well."""
    found = next((value for name, value in headers if name == "authentication-results"), "")
    return bool(_FAILED.search(_COMMENT.sub(" ", one_line(found[:_LONGEST]))))
