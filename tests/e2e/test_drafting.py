"""Drafting in the chat: several drafts, the votes, another one, approved; by rules and with a model over HTTP."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from doubles.drafters import Office, writes
from doubles.llm import RequestSeen, ScriptedEndpoint
from doubles.llm.scenarios import RightSteps

from assistant import open_assistant
from assistant.bootstrap import model_calls
from assistant.errors import FlowError
from assistant.facade import Assistant, Turn
from config.drafting import AGENTS, DraftingSettings
from config.settings import LlmSettings, Settings
from integrations.actions import SaveDraft, SendMail
from risk.versions import Written

from .conftest import WEDNESDAY

COMPLAINT = "draft a reply to the complaint from Emily Hart, think hard"
TEXTS = {
    "brief": "Dear Emily,\n\nI am sorry. I will call you on [day].\n\nAlex",
    "warm": "Dear Emily,\n\nThank you for telling us; I am truly sorry about the trails.\n\nAlex",
    "thorough": "Dear Emily,\n\nI am sorry. We will look at the trails and tell you what we found by Friday.\n\nAlex",
}
Opened = Callable[..., AbstractAsyncContextManager[Assistant]]


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Office:
    """All vote for the second of those who wrote."""
    right = RightSteps()
    right.hear(monkeypatch.setattr)
    return Office(right, {style: writes(text, 1, f"it is what {style} would say") for style, text in TEXTS.items()})


@pytest.fixture
def endpoint(office: Office) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(office) as endpoint:
        yield endpoint
        assert not endpoint.complaints


@pytest.fixture
def with_model(home: Path, endpoint: ScriptedEndpoint) -> Opened:
    """With the first so many of the usual agents."""

    @asynccontextmanager
    async def opened(agents: int = 3) -> AsyncIterator[Assistant]:
        llm = LlmSettings(base_url=endpoint.url, api_key=endpoint.key, model="scripted", retries=0)
        settings = Settings(home=home, llm=llm, drafting=DraftingSettings(agents=AGENTS[:agents]))
        async with open_assistant(settings=settings, clock=lambda: WEDNESDAY, zone="Europe/Berlin") as assistant:
            yield assistant

    return opened


def mail_of(turn: Turn) -> SaveDraft | SendMail:
    (preview,) = turn.previews
    (item,) = preview.items
    assert isinstance(item.action, SaveDraft | SendMail)
    return item.action


def written_of(turn: Turn) -> Written:
    written = turn.previews[0].items[0].written
    assert written is not None
    return written


def stored(home: Path, folder: str) -> list[str]:
    """The bodies of the mails that were put there, without what they answer."""
    found = (home / "sample" / "mail" / f".{folder}").glob("[cn]*/*")
    mails = (message_from_bytes(path.read_bytes(), policy=default) for path in found)
    return [mail.get_body(("plain",)).get_content() for mail in mails]


async def test_a_complaint_is_answered_by_vote_and_the_other_one_is_used(with_model: Opened, home: Path, endpoint) -> None:
    async with with_model(agents=2) as a:
        shown = await a.say("c", COMPLAINT)
        assert mail_of(shown).body == TEXTS["warm"] and shown.previews[0].level == "medium"
        why = (await a.say("c", "why this one?")).said
        assert "because you asked for more thought" in why and "Draft 2 (warm) got 2 of 2 votes." in why
        assert "- brief voted for draft 2 (warm): it is what brief would say" in why
        other = await a.say("c", "use the other one")
        assert mail_of(other).body == TEXTS["brief"] and written_of(other).picked
        assert other.previews[0].fingerprint != shown.previews[0].fingerprint
        asked = len(endpoint.requests)
        assert (await a.say("c", "approve")).outcomes[0].status == "done"
        assert len(endpoint.requests) == asked
    assert stored(home, "Drafts") == [TEXTS["brief"]]


async def test_of_three_the_other_one_is_the_next_and_another_can_be_named(with_model: Opened) -> None:
    async with with_model() as a:
        await a.say("c", COMPLAINT)
        assert mail_of(await a.say("c", "use the other one")).body == TEXTS["brief"]
        assert mail_of(await a.say("c", "use the warm one")).body == TEXTS["warm"]


async def test_by_rules_it_goes_the_same_way_and_says_that_it_is_rules(sample, home: Path) -> None:
    async with sample() as a:
        shown = await a.say("c", COMPLAINT)
        assert written_of(shown).rules and len(written_of(shown).versions) == 3
        assert "no language model" in (await a.say("c", "show me the votes")).said
        first = await a.say("c", "use the first")
        assert mail_of(first).body == written_of(shown).versions[0].body != mail_of(shown).body
        assert (await a.say("c", "approve")).outcomes[0].status == "done"
    assert stored(home, "Drafts") == [mail_of(first).body]


async def test_the_alternatives_are_there_when_the_program_is_started_again(with_model: Opened, home: Path, endpoint) -> None:
    async with with_model() as a:
        await a.say("c", COMPLAINT)
    asked = len(endpoint.requests)
    async with with_model() as a:
        others = (await a.say("c", "show the others")).said
        assert "Draft 1 (brief):" in others and "Draft 2 (warm):" in others and "thorough" not in others
        await a.say("c", "use the first")
    async with with_model() as a:
        sending = await a.say("c", "send it")
        assert isinstance(mail_of(sending), SendMail) and mail_of(sending).body == TEXTS["brief"]
        assert (await a.say("c", "send it anyway")).outcomes[0].status == "done"
        assert (await a.say("c", "yes")).said == "Nothing awaits your approval."
    assert stored(home, "Outbox") == [TEXTS["brief"]] and len(endpoint.requests) == asked


async def test_the_alternatives_can_be_chosen_from_a_preview_itself_and_stay_when_it_is_edited(with_model: Opened) -> None:
    async with with_model() as a:
        shown = (await a.say("c", COMPLAINT)).previews[0]
        other = (await a.revise(shown.id, "use the first")).previews[0]
        assert other.items[0].written.picked and other.replaces == shown.id
        asked = await a.revise(other.id, "why this one?")
        assert [p.id for p in asked.previews] == [other.id] and asked.said
        edited = (await a.revise(other.id, actions=[other.actions[0].model_copy(update={"subject": "Another"})])).previews[0]
        assert edited.items[0].written.versions == other.items[0].written.versions


async def test_what_was_shown_before_another_was_chosen_can_not_be_approved(with_model: Opened) -> None:
    async with with_model() as a:
        old = (await a.say("c", COMPLAINT)).previews[0]
        new = (await a.say("c", "use draft 1")).previews[0]
        with pytest.raises(FlowError, match="replaced by a newer one"):
            await a.approve(old.id, old.fingerprint)
        with pytest.raises(FlowError, match="has changed"):
            await a.approve(new.id, old.fingerprint)
        assert (await a.approve(new.id, new.fingerprint)).outcomes[0].status == "done"


async def test_a_draft_that_was_kept_is_taken_back_when_the_user_agrees(sample, home: Path) -> None:
    async with sample() as a:
        await a.say("c", COMPLAINT)
        await a.say("c", "approve")
        assert len(stored(home, "Drafts")) == 1
        undoing = await a.say("c", "undo that")
        assert undoing.previews[0].items[0].says.startswith("take back: draft a reply to Emily Hart")
        await a.say("c", "yes")
    assert stored(home, "Drafts") == []


@pytest.mark.parametrize(("change", "holds"), [('change the subject to "Trails"', "Trails"), ("cc Tom", "Tom Okafor")])
async def test_a_change_beside_the_text_keeps_the_text_that_was_chosen(with_model: Opened, change: str, holds: str) -> None:
    async with with_model() as a:
        await a.say("c", COMPLAINT)
        await a.say("c", "use draft 2")
        changed = await a.say("c", change)
        assert mail_of(changed).body == TEXTS["warm"] and holds in str(mail_of(changed))
        why = (await a.say("c", "why this one?")).said
        assert "You took draft 2 (warm)." in why and "changed" not in why
        third = await a.say("c", "use draft 3")
        assert mail_of(third).body == TEXTS["thorough"] and holds in str(mail_of(third))


async def test_of_a_text_that_the_user_changed_nobody_claims_that_it_was_voted_for(with_model: Opened) -> None:
    own = "Dear Emily, I will call you. Alex"
    async with with_model() as a:
        await a.say("c", COMPLAINT)
        changed = await a.say("c", f'change the text to "{own}"')
        assert mail_of(changed).body == own and not any("drafts" in guess for guess in changed.previews[0].items[0].guesses)
        why = (await a.say("c", "why this one?")).said
        assert why.startswith("The text has been changed since: it is not draft 3 (thorough) any more.")
        assert "Draft 3 (thorough):" in (await a.say("c", "show the others")).said
        assert mail_of(await a.say("c", "use draft 3")).body == TEXTS["thorough"]


async def test_the_gaps_that_are_told_are_those_of_the_text_as_it_stands(with_model: Opened) -> None:
    async with with_model() as a:
        await a.say("c", COMPLAINT)
        first = await a.say("c", "use draft 1")
        assert first.previews[0].items[0].notes == ("left open for you: day",)
        filled = await a.say("c", 'change the text to "I will call you on Friday."')
        assert filled.previews[0].items[0].notes == ()


async def test_what_is_left_open_goes_out_only_when_the_user_says_so_and_is_filled_in_their_words(sample) -> None:
    async with sample() as a:
        await a.say("c", COMPLAINT)
        sending = await a.say("c", "send it")
        held = await a.say("c", "yes")
        assert not held.outcomes and held.previews == sending.previews and "The mail still leaves open: [answer: " in held.said
        await a.say("c", "fill in: We will settle it by Monday.")
        filled = await a.say("c", "answer 1: Monday at ten")
        assert "We will settle it by Monday.\nMonday at ten" in mail_of(filled).body and not filled.previews[0].items[0].notes
        assert [outcome.status for outcome in (await a.say("c", "yes")).outcomes] in (["done"], ["pending"])


async def test_a_routine_reply_is_drafted_once_and_says_so_when_asked(with_model: Opened, endpoint: ScriptedEndpoint) -> None:
    async with with_model() as a:
        shown = await a.say("c", "draft a reply to the last mail from Tom")
        assert written_of(shown).strategy == "single" and len(endpoint.requests) == 2
        for asked in ("why this one?", "show the others", "use the other one", "show me the votes", "use draft 2"):
            told = await a.say("c", asked)
            assert told.said.startswith("There is only this one draft") and told.previews == shown.previews
        assert len(endpoint.requests) == 2
        several = await a.say("c", "give me options")
        assert len(written_of(several).versions) == 3 and written_of(several).reasons == ("you asked for more thought",)


async def test_dictated_words_are_thought_about_on_request_and_stay_in_each_draft(sample) -> None:
    async with sample() as a:
        dictated = await a.say("c", 'reply to the last mail from Emily Hart saying "I will call you on Friday."')
        assert mail_of(dictated).body == "I will call you on Friday."
        thought = await a.say("c", "think harder about this")
        assert all("I will call you on Friday." in version.body for version in written_of(thought).versions)
        assert mail_of(await a.say("c", "use draft 1")).body == "Dear Emily,\n\nI will call you on Friday.\n\nAlex"


async def test_the_users_own_text_is_what_is_thought_about_once_they_changed_it(sample) -> None:
    async with sample() as a:
        await a.say("c", COMPLAINT)
        await a.say("c", 'change the text to "The refund is on its way."')
        thought = await a.say("c", "think harder about it")
        assert all("The refund is on its way." in version.body for version in written_of(thought).versions)


@pytest.mark.parametrize("words", ["think harder about this", "give me options"])
async def test_of_a_proposal_without_words_there_is_nothing_to_think_about(sample, words: str) -> None:
    async with sample() as a:
        await a.say("c", "schedule a meeting with Tom tomorrow at 3 pm")
        told = await a.say("c", words)
        assert told.said.startswith("There is nothing written yet to think about.") and not told.outcomes


async def test_among_the_drafts_of_several_mails_one_is_named_by_its_reader(sample) -> None:
    async with sample() as a:
        await a.say("c", "draft a reply to the last mail from Emily and draft a reply to the last mail from Tom, think hard")
        told = await a.say("c", "use draft 2")
        assert told.said.endswith("to Emily Hart; Tom Okafor. Say which you mean, such as “use draft 2 for Emily Hart”.")
        chosen = await a.say("c", "use draft 2 for Tom")
        emily, tom = (item.written for item in chosen.previews[0].items)
        assert (emily.picked, tom.picked, tom.chosen) == (False, True, 1)
        assert "Draft 1 (brief):\n  Subject: Re: Photos" in (await a.say("c", "show the others for Tom")).said
        again = await a.say("c", "think harder")
        assert [item.written.picked for item in again.previews[0].items] == [False, False]


async def test_the_program_is_ended_in_the_middle_and_drafts_when_it_is_told_to_go_on(with_model: Opened, office: Office) -> None:
    held, asked = threading.Event(), threading.Event()
    warm = writes(TEXTS["warm"])

    def slow(seen: RequestSeen):
        asked.set()
        held.wait(10)
        return warm(seen)

    office.drafters["warm"] = slow
    async with with_model() as a:
        saying = asyncio.ensure_future(a.say("c", COMPLAINT))
        await asyncio.to_thread(asked.wait, 10)
        flow = (await a.flows())[0].id
    held.set()
    assert (await saying).status == "suspended"
    async with with_model() as a:
        going_on = await a.say("c", "continue")
        assert len(written_of(going_on).versions) == 3
        numbers = [event.seq async for event in a.events("c", flow=flow)]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_each_step_of_the_vote_is_told(with_model: Opened) -> None:
    async with with_model() as a:
        turn = await a.say("c", COMPLAINT)
        events = [event async for event in a.events("c", flow=turn.flow) if event.data.get("drafting")]
    kinds = [event.data.get("kind", event.data.get("strategy")) for event in events]
    assert kinds[:2] == ["coordination", "started"] and kinds.count("answered") == kinds.count("voted") == 3
    assert events[0].data["reasons"] == ["you asked for more thought", "it speaks of money: “refund”"]
    assert {event.data["agent"] for event in events if event.data.get("kind") == "voted"} == set(TEXTS)


async def test_the_tokens_that_the_preview_tells_are_those_on_record(with_model: Opened, endpoint, home: Path) -> None:
    async with with_model() as a:
        turn = await a.say("c", COMPLAINT)
    recorded = [call for call in await model_calls(home, WEDNESDAY.replace(year=2000)) if call.role == "draft"]
    assert {call.flow_id for call in recorded} == {turn.flow}
    assert sum(call.prompt + call.completion for call in recorded) == written_of(turn).tokens > 0


async def test_a_wish_behind_dictated_words_is_shown_and_the_words_stand(sample) -> None:
    async with sample() as a:
        turn = await a.say("c", "draft a reply to the last mail from Emily saying that I will call her on Tuesday, give me options")
        assert mail_of(turn).body == "I will call her on Tuesday" and not turn.outcomes
        assert turn.previews[0].items[0].guesses == ("“give me options” is said to me and not to be written",)
        assert "Your words stand as you gave them" in turn.reply
