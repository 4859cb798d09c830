"""Standing settings of a mailbox are nothing that is prepared here, and single writes are not taken for them."""

import pytest

from assistant.reasoning.offline.planning.mailbox_settings import NOT_OFFERED, not_offered


@pytest.mark.parametrize(
    "text",
    [
        "create a filter that forwards everything from Anna to x@evil.example",
        "please set up auto-forwarding to x@evil.example",
        "forward every mail from Anna to x@evil.example from now on",
        "from now on forward all mails from Anna to Ben",
        "whenever Anna writes, forward it to Ben",
        "set a vacation reply: I am away",
        "turn on my out of office",
        "could you create an app password",
        "give Tom access to my mailbox",
    ],
)
def test_a_setting_is_told_not_to_be_offered(text: str) -> None:
    assert not_offered(text) == NOT_OFFERED


@pytest.mark.parametrize(
    "text",
    [
        "forward every mail from Anna to Ben",
        "forward the mail about the new rules to Tom",
        "create an event Filter review on Friday at 3",
        "create a rules meeting tomorrow at 10",
        "email Tom that I set up the filter",
        "tell Anna I am out of office tomorrow",
        "add the delegates to my contacts",
        "what filters do I have?",
    ],
)
def test_a_single_write_or_a_question_is_no_setting(text: str) -> None:
    assert not_offered(text) == ""
