"""What a result says at the place where it is sent: a parked preview with whom it would reach, and nothing that approves."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from doubles.crashes import MAIL
from doubles.delivering import Days, delivered, reminded

from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.pipeline.laying import Permit, check_reach
from assistant.pipeline.state import FlowState
from assistant.scheduling.delivery.content import content_of
from assistant.scheduling.delivery.notifying import fitting, judged
from assistant.values import Data, Question, Report, Success
from integrations.actions import Action, SaveDraft, SendMail
from integrations.types import Address, Mail, MailRef
from risk.preview import Item, Preview, Recipient, fingerprint
from storage.audit import NewEntry

ME = Address(email="me@example.org")
PLACE = "https://assistant.example.org"
TO_ME = SendMail(account="local", to=(ME,), subject="Your Monday", body="text", html="<p>text</p>")


@pytest.fixture
def state(clock: Callable[[], datetime]) -> FlowState:
    return FlowState(id="f1", user="owner", conversation="c 1", text="answer them", created=clock(), course="plan")


@pytest.fixture
def preview(clock: Callable[[], datetime]) -> Preview:
    people = ("anna@example.org", "Bo <script>@example.org")
    reached = tuple(Recipient(address=Address(email=email), line="to", origin="said", known=True) for email in people)
    item = Item(action=MAIL, says="send the report", recipients=reached)
    return Preview(
        id="f1-abc",
        flow="f1",
        conversation="c 1",
        fingerprint=fingerprint([MAIL]),
        level="high",
        reasons=(),
        items=(item,),
        created=clock(),
        expires=clock() + timedelta(days=7),
    )


def test_a_parked_preview_names_whom_it_would_reach_and_where_to_approve_it(state: FlowState, preview: Preview) -> None:
    content = content_of(state.but(reply="This is what I would do."), "Reports", [preview], PLACE)
    assert content.text.startswith("This is what I would do.") and "anna@example.org" in content.text
    assert f"{PLACE}/#/preview/f1-abc" in content.text and f'href="{PLACE}/#/preview/f1-abc"' in content.html
    assert "approves nothing" in content.text and preview.fingerprint not in content.text + content.html
    assert "<script>" not in content.html


def test_warnings_stand_before_whom_it_would_reach(state: FlowState, preview: Preview) -> None:
    warned = preview.model_copy(update={"reasons": ("it tells a code",), "warnings": ("it tells a code",)})
    text = content_of(state, "Reports", [warned], PLACE).text
    assert text.index("⚠ Warning: it tells a code") < text.index("It would reach")


def test_no_link_is_left_that_stood_in_nothing_that_was_asked_about_and_no_picture(state: FlowState) -> None:
    mail = Mail(account="home", id="m", etag="e", folder="INBOX", subject="Plan", body="https://x.example/plan", date=state.created)
    found: dict[int, Report] = {1: Success(data=Data(kind="mails", mails=(mail,)))}
    reply = "![p](https://x.example/plan) [Google](https://evil.example/?d=482913) <img src=//evil.example/b>"
    content = content_of(state.but(reply=reply, reports=found), "Reports", [], PLACE)
    assert "https://x.example/plan" in content.text and "![" not in content.text and "<img" not in content.text
    assert "https://evil.example" not in content.text + content.html and "evil[.]example/?d=482913" in content.text


def test_where_the_page_is_not_known_it_is_approved_in_the_chat(state: FlowState, preview: Preview) -> None:
    content = content_of(state, "Reports", [preview])
    assert "Approve it in the chat." in content.text and "href" not in content.html and content.link == ""


def test_a_run_that_asks_something_is_delivered_with_its_question(state: FlowState) -> None:
    asking = state.but(status="waiting", question=Question(id="q", text="Which Tom?", trigger="missing", entity="Tom"))
    assert "Which Tom?" in content_of(asking, "Calls", []).text


def test_a_link_leads_to_the_conversation(state: FlowState) -> None:
    assert content_of(state.but(reply="Done."), "Calls", [], PLACE).link == f"{PLACE}/#/c/c%201"


# --- what may go out by itself


@pytest.mark.parametrize(
    "action",
    [
        TO_ME.model_copy(update={"to": (Address(email="anna@example.org"),)}),
        TO_ME.model_copy(update={"to": (ME, Address(email="anna@example.org"))}),
        TO_ME.model_copy(update={"to": ()}),
        TO_ME.model_copy(update={"cc": (ME,)}),
        TO_ME.model_copy(update={"bcc": (Address(email="anna@example.org"),)}),
        TO_ME.model_copy(update={"account": "other"}),
        TO_ME.model_copy(update={"forward_of": MailRef(account="local", id="1")}),
        SaveDraft(account="local", to=(ME,), subject="Your Monday"),
    ],
)
def test_a_delivery_reaches_nobody_but_the_user(action: Action) -> None:
    with pytest.raises(ValueError, match="own address"):
        check_reach(Permit("delivery", "deliver-s-1"), [action], {"local": "me@example.org"})


def test_a_delivery_to_oneself_is_let_through() -> None:
    check_reach(Permit("delivery", "deliver-s-1"), [TO_ME], {"local": "me@example.org"})


async def test_who_executes_lets_nothing_else_out(scripted_days: Days) -> None:
    async with scripted_days() as a:
        executor, elsewhere = a.outgoing.outbox.executor, TO_ME.model_copy(update={"to": (Address(email="anna@example.org"),)})
        for permit, action in ((Permit("delivery", "deliver-s-1"), elsewhere), (Permit("gate", "f-low"), TO_ME)):
            with pytest.raises(ValueError, match=r"own address|HTML"):
                await executor.carry_out(permit, [action], [""], NewEntry(kind="permitted", preview_id=permit.reference))
        assert await a.outbox() == () and await a.audit() == ()


@pytest.mark.parametrize("by", ["gate", "approval", "undo"])
def test_nothing_but_a_delivery_holds_html(by: str) -> None:
    with pytest.raises(ValueError, match="HTML"):
        check_reach(Permit(by, "p"), [TO_ME], {"local": "me@example.org"})  # type: ignore[arg-type]


async def test_html_is_taken_from_nobody(scripted_days: Days) -> None:
    async with scripted_days() as a:
        with pytest.raises(UserError, match="without html"):
            await a.propose("c", [TO_ME])
        shown = await a.propose("c", [MAIL])
        with pytest.raises(UserError, match="without html"):
            await a.revise(shown.previews[0].id, actions=[MAIL.model_copy(update={"html": "<p>hello</p>"})])


def test_a_mail_without_html_has_the_fingerprint_that_it_always_had() -> None:
    assert fingerprint([MAIL]) == fingerprint([MAIL.model_copy(update={"html": ""})]) != fingerprint([TO_ME])


@pytest.fixture
def scripted_days(tmp_path, account) -> Days:
    return Days(tmp_path / "home", account)


# --- what Apprise's log tells


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        (["Failed to send JSON POST notification: Not Found, error=404."], "failed"),
        (["Socket Exception: Max retries exceeded (Caused by NewConnectionError('refused'))"], "failed"),
        (["Socket Exception: Max retries exceeded (Caused by ConnectTimeoutError('too slow'))"], "failed"),
        (["Socket Exception: HTTPConnectionPool(host='h', port=80): Read timed out. (read timeout=4.0)"], "unknown"),
        (["Socket Exception: ('Connection aborted.', RemoteDisconnected('closed'))"], "unknown"),
        (["Failed to send: error=404.", "Socket Exception: Read timed out."], "unknown"),
        (["Failed to send: error=404.", "Failed to send: error=502."], "unknown"),
        (["Sent Slack notification.", "Failed to send: error=404."], "unknown"),
        ([], "unknown"),
    ],
)
def test_only_what_certainly_did_not_arrive_has_failed(messages: list[str], status: str) -> None:
    assert judged(messages).status == status


def test_a_text_is_cut_at_the_end_of_a_line() -> None:
    assert fitting("one\ntwo\nthree", 100) == "one\ntwo\nthree"
    assert fitting("one\ntwo\nthree", 10, "") == "one\ntwo\n…"
    assert fitting("one\ntwo\nthree and four and five", 20, "at://x") == "one\ntwo\n… at://x"


async def test_a_delivery_of_a_forgotten_run_has_failed(scripted_days: Days) -> None:
    async def lose(a: Assistant, schedule: str) -> None:
        conversation = (await a.schedules.get(schedule)).conversation
        await a.forget(conversation=conversation, really=True)

    async with scripted_days() as a:
        await a.targets.add("phone", "json://127.0.0.1:1/")
        schedule = await reminded(a, "phone")
        await lose(a, schedule)
        scripted_days.passes(minutes=2)
        await a.schedules.deliveries.retry()
        found = await delivered(a, schedule) if await a.schedules.list() else ()
        assert not found or (found[0].status, found[0].error) == ("failed", "What was to be sent is not kept any more.")
