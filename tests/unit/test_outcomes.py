"""The words for what became of a write."""

from assistant.pipeline.outcomes import waiting
from integrations.actions import MarkMail
from integrations.types import MailRef


def test_a_command_that_helps_stands_at_the_end() -> None:
    action = MarkMail(account="google", mail=MailRef(account="google", id="1", etag="e"), seen=True)
    told = waiting(action, "key", "It is not signed in; connect it again: assistant accounts add google")
    assert told.note.endswith("again. It is not signed in; connect it again: assistant accounts add google")
