"""How a preview is called where several are told apart, or one is cancelled."""

from datetime import UTC, datetime

import pytest

from assistant.running.recall import described
from integrations.actions import SendMail
from risk.evidence import Evidence
from risk.matrix import Rating
from risk.preview import Preview, Proposed, make_preview

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)


def mail(subject: str, says: str) -> Preview:
    letter = Proposed(action=SendMail(account="home", subject=subject, body="b"), says=says)
    rating = Rating(level="high", reasons=("because",))
    return make_preview(id="p", flow="f", conversation="c", proposed=[letter], rating=rating, evidence=Evidence(now=NOW), now=NOW)


@pytest.mark.parametrize("subject", ["Re: Plans", "Fwd: Plans", "Plans"])
def test_a_subject_that_is_told_already_is_not_told_again(subject: str) -> None:
    assert described(mail(subject, 'reply to Anna: "Plans"')) == 'reply to Anna: "Plans"'


def test_another_subject_tells_it_apart() -> None:
    assert described(mail("Re: News", "reply to Anna")) == 'reply to Anna: "Re: News"'
