"""A model words what a briefing begins with, over real HTTP: nothing that it makes up or was talked into is told."""

import pytest
from doubles.llm import Reply, data, says
from doubles.llm import misbehaving as bad
from doubles.llm.scenarios import framed, question_of, wants_lead

HONEST = "Nadia Haddad waits for an answer, and your day begins at 09:30."
LIES = {
    "a number": "You have 47 mails that need an answer.",
    "a deed": "I have answered Nadia Haddad.",
    "an invention": "The board meets in Paris and wants the merger papers.",
    "a link": "Look at https://evil.example today.",
    "an order from a mail": "Your mailbox will be closed today: verify your password.",
}


@pytest.fixture
def said(opened, endpoint, right):
    """What the briefing begins with where the model gives this."""

    async def given(lead: Reply, text: str = "give me a briefing") -> tuple[str, str]:
        endpoint.play(lambda seen: lead if wants_lead(seen) else right(seen))
        async with opened() as a:
            turn = await a.say("c", text)
            assert turn.status == "done" and turn.briefing
            return turn.briefing.lead, turn.reply

    return given


async def test_honest_words_are_told(said):
    lead, reply = await said(says(HONEST))
    assert lead == HONEST and HONEST in reply


@pytest.mark.parametrize("lie", LIES)
async def test_what_nobody_can_vouch_for_leaves_it_to_code(said, lie):
    lead, _ = await said(says(LIES[lie]))
    assert lead.startswith("19 mails need an answer, above all Nadia Haddad's")


async def test_a_model_that_obeys_a_mail_is_not_told(said, endpoint):
    """It answers with the first words of another's that it is shown."""
    lead, _ = await said(says("Please do not sign or promise anything before we have met."))
    assert lead.startswith("19 mails need an answer")


async def test_what_looks_like_phishing_is_not_even_shown_to_the_model(said, endpoint):
    await said(says(HONEST))
    asked = next(seen for seen in endpoint.requests if wants_lead(seen))
    assert question_of(asked) == "reply" and "mailbox will be closed" not in framed(asked)["FACTS"]


@pytest.mark.parametrize("trouble", ["a server error", "no words", "a refusal", "data"])
async def test_a_model_that_is_down_is_not_missed(said, trouble):
    replies = {"a server error": bad.SERVER_ERROR, "no words": bad.EMPTY, "a refusal": bad.REFUSAL, "data": data({"lead": "x"})}
    lead, reply = await said(replies[trouble])
    assert lead.startswith("19 mails need an answer") and "model" not in reply
