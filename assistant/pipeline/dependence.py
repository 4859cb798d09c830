"""Which of several approved actions rests on another: what must not be done when that one was not."""

from assistant.pipeline.rebase import keys_of
from integrations.actions import Action, CalendarAction, DeleteDraft, DeleteTemplate, SaveTemplate, SendMail


def rests_on(later: Action, earlier: Action) -> bool:
    """Both are about the same thing, or a mail may tell people of what was to be done in the calendar before it."""
    if isinstance(later, SendMail) and isinstance(earlier, CalendarAction):
        return True
    if isinstance(later, SaveTemplate | DeleteTemplate) and isinstance(earlier, SaveTemplate | DeleteTemplate):
        return later.name == earlier.name
    return waits_for(later, earlier) or bool(keys_of(later) & keys_of(earlier))


def waits_for(later: Action, earlier: Action) -> bool:
    """A draft is not deleted before what may have been written from it has gone out."""
    return isinstance(later, DeleteDraft) and isinstance(earlier, SendMail) and later.account == earlier.account
