"""What is believed of the server's word on a mail's sender."""

import pytest

from integrations.common.authentication import is_forged


def results(*values: str) -> list[tuple[str, str]]:
    return [("received", "x"), *(("authentication-results", value) for value in values), ("from", "anna@north.example")]


@pytest.mark.parametrize(
    "value",
    [
        "mx.home.example; spf=pass; dkim=none; dmarc=fail header.from=north.example",
        "mx.home.example;\r\n\tdmarc = FAIL (p=reject dis=none) header.from=north.example",
        "mx.home.example 1; (a comment; dmarc=pass) dmarc=fail",
    ],
)
def test_a_sender_whom_its_domain_disowns_is_forged(value: str) -> None:
    assert is_forged(results(value))


@pytest.mark.parametrize(
    "value",
    [
        "mx.home.example; dmarc=pass header.from=north.example",
        "mx.home.example; dmarc=none; spf=fail",
        "mx.home.example; dkim=pass (dmarc=fail would be wrong); dmarc=pass",
        "mx.home.example; x=dmarc=fail",
        "",
    ],
)
def test_what_is_no_failure_forges_nothing(value: str) -> None:
    assert not is_forged(results(value))


def test_only_the_word_of_the_last_server_counts() -> None:
    assert not is_forged(results("mx.home.example; dmarc=pass", "elsewhere.example; dmarc=fail"))
    assert is_forged(results("mx.home.example; dmarc=fail", "elsewhere.example; dmarc=pass"))
    assert not is_forged([("from", "anna@north.example")])
