"""Several writes of one thing in one request: each finds the thing as the one before has left it, and all can be taken back."""

import pytest


@pytest.mark.parametrize(
    "words",
    [
        "flag the last mail from David Chen and archive it",
        "mark the last mail from David Chen as unread, flag it and archive it",
        "reply to the last mail from David Chen saying thanks, and archive it",
        "forward the last mail from David Chen to Helen and then delete it",
    ],
)
async def test_each_of_several_writes_of_one_mail_is_carried_out(sample, words):
    async with sample() as a:
        turn = await a.say("c", words)
        if turn.previews:
            turn = await a.approve(turn.previews[0].id, turn.previews[0].fingerprint)
    assert len(turn.outcomes) > 1 and {outcome.status for outcome in turn.outcomes} == {"done"}


async def test_several_writes_of_one_mail_are_taken_back_together(sample):
    async with sample() as a:
        await a.say("c", "flag the last mail from David Chen and archive it")
        turn = await a.say("c", "undo that")
        again = await a.say("c", "show me my flagged mails from David Chen")
    assert [outcome.status for outcome in turn.outcomes] == ["done", "done"]
    assert not any(report.data.mails for report in again.reports.values())
