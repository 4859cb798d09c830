"""Tasks, what is outgoing, activity and settings, as somebody uses them in a browser."""

from collections.abc import AsyncIterator
from datetime import timedelta

import httpx2
import pytest
import pytest_asyncio
from doubles.browser import PHONE, WIDE, Window, window
from doubles.service import Running
from playwright.async_api import Browser, Page, expect

from assistant.facade import Assistant
from integrations.actions import CreateContact, SendMail
from integrations.common.certificates import usual
from integrations.types import Address

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def assistant(service: Running) -> Assistant:
    return await service.household.of("owner")


@pytest_asyncio.fixture(loop_scope="session")
async def w(browser: Browser, service: Running, request: pytest.FixtureRequest) -> AsyncIterator[Window]:
    async with window(browser, service.url, request.node.name.removeprefix("test_")[:40], **getattr(request, "param", WIDE)) as w:
        await w.enter(service)
        yield w


async def approved(assistant: Assistant, action: SendMail | CreateContact) -> str:
    """The flow that did it."""
    (preview,) = (await assistant.propose("c", [action])).previews
    return (await assistant.approve(preview.id, preview.fingerprint)).flow


def later(assistant: Assistant, subject: str) -> SendMail:
    tomorrow = assistant.clock() + timedelta(days=1)
    anna = Address(email="anna@x.example", name="Anna Berg")
    return SendMail(account="sample", to=(anna,), subject=subject, body="Hello", send_at=tomorrow)


def new_contact(name: str) -> CreateContact:
    return CreateContact(account="sample", name=name, emails=("ida@x.example",))


async def sure(page: Page, yes: str) -> None:
    await page.get_by_role("dialog").get_by_role("button", name=yes, exact=True).click()


# --- tasks


async def test_a_question_is_answered_among_the_tasks(w, assistant):
    await assistant.say("asked", "schedule a meeting with Anna")
    await w.go("/tasks")
    card = w.page.get_by_role("article").filter(has_text="schedule a meeting with Anna")
    await expect(card).to_contain_text("waits for your answer")
    await card.get_by_role("textbox").fill("Friday at 3 pm")
    await card.get_by_role("button", name="Answer").click()
    await expect(card).to_have_count(0)
    assert (
        not await assistant.questions() or (await assistant.questions())[0].question.text != "When should the meeting with Anna be?"
    )


@pytest.mark.parametrize("w", [WIDE, PHONE], indirect=True, ids=["wide", "phone"])
async def test_a_task_is_given_up_after_one_is_asked(w, assistant):
    turn = await assistant.say("c", "schedule a meeting with Tom Okafor")
    await w.go("/tasks")
    card = w.page.get_by_role("article").filter(has_text="schedule a meeting with Tom Okafor")
    await card.get_by_role("button", name="Give up").click()
    await expect(w.page.get_by_role("dialog")).to_contain_text("will not go on")
    await sure(w.page, "Give up")
    await expect(card).to_have_count(0)
    assert turn.flow not in [flow.id for flow in await assistant.flows(resting=True)]


# --- outgoing


async def test_a_scheduled_mail_is_taken_back(w, assistant):
    flow = await approved(assistant, later(assistant, "Second thoughts"))
    await w.go("/outgoing")
    await expect(w.page.get_by_role("heading", name="Scheduled")).to_be_visible()
    row = w.page.get_by_role("listitem").filter(has_text="Second thoughts")
    await expect(row).to_contain_text("Anna Berg <anna@x.example>")
    await w.shot("scheduled")
    await row.get_by_role("button", name="Take back").click()
    await expect(row).to_have_count(0)
    assert [one.status for one in (await assistant.flow(flow)).outcomes] == ["taken_back"]


# --- activity


async def test_what_was_done_is_told_and_undone(w, assistant):
    await assistant.say("c", "archive the newest mail")
    await w.go("/activity")
    story = w.page.locator("details").first
    await story.locator("summary").click()
    await expect(story).to_contain_text("The provider answered: done.")
    await w.shot("unfolded")
    await story.get_by_role("button", name="Undo").click()
    await expect(w.page.get_by_text("Taken back").first).to_be_visible()
    assert any("Taken back" in line.text for story in await assistant.audit() for line in story.lines)


async def test_where_taking_back_needs_approval_its_preview_is_shown(w, assistant):
    await approved(assistant, new_contact("Ida Holm"))
    open_before = len(await assistant.open_previews())
    await w.go("/activity")
    story = w.page.locator("details").filter(has_text="Add Ida Holm to your contacts")
    await story.locator("summary").click()
    await expect(story).to_contain_text("Approved by you, naming its fingerprint.")
    await story.get_by_role("button", name="Undo").click()
    await w.page.wait_for_url(lambda url: "#/preview/" in url)
    assert len(await assistant.open_previews()) == open_before + 1


async def test_the_activity_is_looked_through_by_words(w, assistant):
    await approved(assistant, new_contact("Nils Holm"))
    await approved(assistant, later(assistant, "Greetings"))
    await w.go("/activity")
    await expect(w.page.locator("details").nth(1)).to_be_visible()
    await w.page.get_by_label("Look for").fill("add nils holm")
    await expect(w.page.locator("details")).to_have_count(1)
    await w.page.get_by_label("Look for").fill("zeppelin")
    await expect(w.page.get_by_text("Nothing like that")).to_be_visible()


async def test_the_journal_is_checked(w, assistant):
    await approved(assistant, new_contact("Rosa Holm"))
    await w.go("/activity")
    await w.page.get_by_role("button", name="Check the journal").click()
    await expect(w.page.get_by_text("The journal is whole")).to_be_visible()
    await expect(w.page.get_by_text((await assistant.verify_audit()).head)).to_be_visible()


# --- settings


async def test_a_list_of_recipients_is_kept_and_given_up(w, service):
    await w.go("/settings")
    await w.page.get_by_role("button", name="Keep a list").click()
    text = w.page.get_by_label("One to a line")
    await text.fill("Anna@X.example\n@work.example\nnobody")
    w.expected.append("400")
    await w.page.get_by_role("button", name="Save the list").click()
    await expect(w.page.get_by_text("“nobody” is neither an address")).to_be_visible()
    await expect(text).to_have_value("Anna@X.example\n@work.example\nnobody")
    await text.fill("Anna@X.example\n@work.example")
    await w.page.get_by_role("button", name="Save the list").click()
    await expect(text).to_have_value("anna@x.example\n@work.example")
    await w.page.get_by_role("button", name="Allow everybody").click()
    await sure(w.page, "Allow everybody")
    await expect(w.page.get_by_role("button", name="Keep a list")).to_be_visible()


@pytest.mark.parametrize("w", [WIDE, PHONE], indirect=True, ids=["wide", "phone"])
async def test_what_was_asked_to_be_remembered_is_seen_and_forgotten(w, assistant):
    await assistant.notes.forget_all()
    await w.go("/settings")
    section = w.page.locator("section").filter(has=w.page.get_by_role("heading", name="What you asked me to remember"))
    await expect(section).to_contain_text("Nothing yet. Say it in a conversation")
    for text in ("I drink tea", "<b>Tom</b> is my boss", "I prefer short mails"):
        await assistant.say("noted", f"remember that {text}")
    await w.go("/today")
    await w.go("/settings")
    await expect(section.get_by_role("listitem")).to_have_count(3)
    await expect(section.get_by_role("listitem").nth(1)).to_contain_text("<b>Tom</b> is my boss")
    await expect(section.get_by_role("listitem").first).to_contain_text("You said so on")
    await expect(section.get_by_role("link", name="conversation").first).to_have_attribute("href", "#/c/noted")
    await w.shot("notes")
    await section.get_by_role("button", name="Forget: I drink tea").focus()
    await w.page.keyboard.press("Enter")
    await expect(w.page.get_by_role("dialog")).to_contain_text("The message in which you said it stays")
    await sure(w.page, "Forget")
    await expect(section.get_by_role("listitem")).to_have_count(2)
    await section.get_by_role("button", name="Forget all of it").click()
    await sure(w.page, "Forget all")
    await expect(section).to_contain_text("Nothing yet")
    assert await assistant.notes.list() == ()


async def test_a_token_is_made_shown_once_and_revoked(w, service):
    await w.go("/settings")
    await w.page.get_by_role("button", name="Make a token").click()
    dialog = w.page.get_by_role("dialog")
    await dialog.get_by_label("What it is for").fill("My chat program")
    await dialog.get_by_label("propose:").check()
    await w.shot("making")
    await dialog.get_by_role("button", name="Make it").click()
    secret = await w.page.get_by_role("textbox", name="Your new token").input_value()
    await w.page.get_by_role("button", name="Done").click()
    await expect(w.page.get_by_text("may read and propose")).to_be_visible()
    assert secret not in await w.page.content()
    program = service.client(Authorization=f"Bearer {secret}")
    assert (await program.get("/api/flows")).status_code == 200
    await w.page.get_by_role("button", name="Revoke the token My chat program").click()
    await sure(w.page, "Revoke")
    await expect(w.page.get_by_text("may read and propose")).to_have_count(0)
    assert (await program.get("/api/flows")).status_code == 401


async def test_somebody_is_invited_and_removed(w, service):
    await w.go("/settings")
    people = w.page.locator("section").filter(has=w.page.get_by_role("heading", name="People"))
    await people.get_by_label("Name").fill("Tom")
    await people.get_by_role("button", name="Invite").click()
    link = await w.page.get_by_role("textbox", name="The invitation").input_value()
    await w.page.get_by_role("button", name="Done").click()
    token = link.partition("token=")[2]
    entered = await httpx2.AsyncClient(base_url=service.url, verify=usual()).post(
        "/api/first-run", json={"token": token, "password": "a long one of Tom's"}
    )
    assert entered.status_code == 200 and entered.json()["name"] == "Tom"
    await people.get_by_role("button", name="Remove Tom").click()
    await sure(w.page, "Remove")
    await expect(people.get_by_text("Tom", exact=True)).to_have_count(0)


async def test_the_hours_of_the_day_are_set(w, service):
    await w.go("/settings")
    await w.page.get_by_label("Starts").fill("08:30")
    await w.page.get_by_label("Undo window").fill("25")
    day = w.page.locator("section").filter(has=w.page.get_by_role("heading", name="Your day"))
    await day.get_by_role("button", name="Save").click()
    await expect(w.page.get_by_text("Saved.")).to_be_visible()
    me = await service.sign_in()
    told = (await me.get("/api/settings")).json()
    assert (told["day_starts"], told["undo_window"]) == ("08:30:00", 25)
