"""Every error of the design, raised by a real answer of the provider: what a provider never answers is skipped with the reason."""

import pytest
from doubles.boxes.base import Box, Boxes

from integrations.errors import (
    AuthExpired,
    Conflict,
    IntegrationError,
    InvalidResponse,
    NotFound,
    RateLimited,
    ReadOnly,
    Unavailable,
)

ERRORS = [AuthExpired, NotFound, Conflict, ReadOnly, RateLimited, Unavailable, InvalidResponse]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("capability", ["mail", "calendar", "contacts"])
async def test_each_error_is_raised_with_a_sentence_and_the_accounts_name(
    boxes: Boxes, capability: str, error: type[IntegrationError]
) -> None:
    box: Box = getattr(boxes, capability)
    provoke = box.errors[error]
    if isinstance(provoke, str):
        box.skip(provoke)
    with pytest.raises(IntegrationError) as raised:
        await provoke()
    assert isinstance(raised.value, error)
    assert raised.value.account == box.name
    assert len(str(raised.value).split()) > 3 and "\n" not in str(raised.value)
