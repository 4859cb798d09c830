"""The card of what awaits approval, and the day at a glance: decided, changed and taken back in the page itself."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from doubles.browser import PHONE, WIDE, Window, window
from doubles.service import Running
from playwright.async_api import Browser, Locator, Route, expect

from assistant.answers import Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")
RISKY = 'send an email to {}@outside.example with the subject "Plans" saying "I will pay the invoice of 1,200 euros on Friday."'
PLAIN = 'send an email to Emily Hart with the subject "{}" saying "All is well here."'
MEETING = "schedule a meeting with Emily Hart tomorrow at 3 pm about the {}"


@pytest_asyncio.fixture(loop_scope="session")
async def w(browser: Browser, service: Running) -> AsyncIterator[Window]:
    async with window(browser, service.url, "card", **WIDE) as one:
        await one.enter(service)
        yield one


async def asked(service: Running, words: str) -> Turn:
    assistant = await service.household.of("owner")
    return await assistant.say(await assistant.begin(), words)


async def shown(w: Window, turn: Turn) -> Locator:
    """The card of its preview, on a page of its own."""
    await w.go(f"/preview/{turn.previews[0].id}")
    card = w.page.locator(".preview")
    await expect(card).to_be_visible()
    return card


def act(card: Locator, name: str) -> Locator:
    return card.locator(f"[data-act={name}]")


async def test_high_risk_takes_a_deliberate_second_act_and_pressing_twice_sends_once(w: Window, service: Running) -> None:
    turn = await asked(service, RISKY.format("gil"))
    card = await shown(w, turn)
    approvals: list[str] = []
    w.page.on("request", lambda request: approvals.append(request.url) if request.url.endswith("/approve") else None)
    await act(card, "approve").click()
    await expect(card.locator(".confirm")).to_contain_text("gil@outside.example")
    await expect(act(card, "confirm")).to_be_disabled()
    await w.page.keyboard.press("Enter")
    await w.page.keyboard.press("Escape")
    await expect(act(card, "approve")).to_be_focused()
    assert approvals == []
    await act(card, "approve").click()
    await act(card, "read").check()
    await act(card, "confirm").dblclick(no_wait_after=True)
    await expect(card.locator(".outcome")).to_have_attribute("data-status", "done")
    assert len(approvals) == 1
    assistant = await service.household.of("owner")
    assert (await assistant.preview(turn.previews[0].id)).status == "approved"


async def test_what_is_typed_stays_until_it_can_be_saved_and_then_it_is_said_what_differs(w: Window, service: Running) -> None:
    card = await shown(w, await asked(service, PLAIN.format("Editing")))
    await act(card, "edit").click()
    await card.get_by_label("Subject").fill("Edited")
    to = card.get_by_role("combobox", name="To")
    await to.fill("tom@nowhere")
    await act(card, "save").click()
    await expect(card.get_by_text("“tom@nowhere” is no address")).to_be_visible()
    await expect(to).to_be_focused()
    await expect(card.get_by_label("Subject")).to_have_value("Edited")
    await to.fill("tom@nowhere.example")
    await act(card, "save").click()
    differs = card.locator(".differs")
    await expect(differs.get_by_role("row", name=re.compile("Subject.*Editing.*Edited"))).to_be_visible()
    await expect(card.locator(".recipient", has_text="tom@nowhere.example")).to_contain_text("you wrote it")


async def test_saving_what_was_not_changed_makes_no_new_preview(w: Window, service: Running) -> None:
    turn = await asked(service, MEETING.format("walls"))
    card = await shown(w, turn)
    await act(card, "edit").click()
    await act(card, "save").click()
    await expect(act(card, "edit")).to_be_focused()
    assistant = await service.household.of("owner")
    assert (await assistant.preview(turn.previews[0].id)).status == "open"


async def test_in_the_chat_whoever_approves_is_not_thrown_out_of_where_they_are(w: Window, service: Running) -> None:
    turn = await asked(service, PLAIN.format("Focus"))
    await w.go(f"/c/{turn.conversation}")
    card = w.page.locator(f"[data-preview='{turn.previews[0].id}']")
    await act(card, "approve").focus()
    await w.page.keyboard.press("Enter")
    await expect(w.page.locator(".receipt .outcome")).to_have_attribute("data-status", "done")
    await expect(card).to_have_attribute("data-status", "approved")
    await w.settled()
    assert await w.page.evaluate("document.activeElement !== document.body")


async def test_recipients_are_completed_and_removed_by_keyboard_alone(w: Window, service: Running) -> None:
    card = await shown(w, await asked(service, PLAIN.format("Keys")))
    await act(card, "edit").click()
    to = card.get_by_role("combobox", name="To")
    await expect(to).to_be_focused()
    await w.page.keyboard.press("Backspace")
    await w.page.keyboard.type("okafor")
    await expect(card.get_by_role("option", name="Tom Okafor")).to_have_attribute("aria-selected", "true")
    await w.page.keyboard.press("Enter")
    await expect(card.locator(".chip")).to_have_text(re.compile("Tom Okafor tom.okafor@"))
    await w.page.keyboard.press("Escape")
    await expect(card.locator(".recipient")).to_contain_text("Emily Hart")  # leaving the editing changes nothing


async def test_a_mail_is_given_a_time_and_is_taken_back_before_it_comes(w: Window, service: Running) -> None:
    card = await shown(w, await asked(service, PLAIN.format("Later")))
    await act(card, "later").click()
    await card.get_by_role("button", name=re.compile("Tomorrow morning")).click()
    await expect(card.locator(".item-facts")).to_contain_text("tomorrow 08:00")
    await act(card, "approve").click()
    await expect(card.locator(".outcome")).to_contain_text("Scheduled")
    await act(card, "withdraw").click()
    await expect(card.locator(".outcome")).to_contain_text("Taken back")
    await expect(card.locator(".outcome")).to_be_focused()
    assert not [one for one in await (await service.household.of("owner")).outbox() if one.status == "held"]


async def test_what_was_changed_elsewhere_is_not_approved_but_shown_afresh(w: Window, service: Running) -> None:
    turn = await asked(service, PLAIN.format("Before"))
    old = turn.previews[0]
    card = await shown(w, turn)
    assistant = await service.household.of("owner")
    edited = old.actions[0].model_copy(update={"subject": "After"})
    new = (await assistant.revise(old.id, actions=[edited])).previews[0]
    w.expected.append("409")
    await act(card, "approve").click()
    await expect(card).to_have_attribute("data-preview", new.id)
    await expect(card.locator(".note")).to_contain_text("replaced by a newer one")
    await expect(card.locator(".differs")).to_contain_text("After")
    assert (await assistant.preview(new.id)).status == "open"


async def test_another_of_the_drafts_is_taken_from_the_card(w: Window, service: Running) -> None:
    turn = await asked(service, "draft a reply to the complaint from Emily Hart, think hard")
    written = turn.previews[0].items[0].written
    assert written is not None
    other = next(place for place in range(len(written.versions)) if place != written.chosen)
    card = await shown(w, turn)
    await card.locator(".written > summary").click()
    await card.get_by_role("button", name=f"Use draft {other + 1}").click()
    await expect(card.locator(".written > summary")).to_contain_text("your choice")
    await expect(card.locator(".item > .letter")).to_have_text(written.versions[other].body)


async def test_an_event_shows_its_slot_among_the_day_and_moves_by_hand_until_it_is_undone(w: Window, service: Running) -> None:
    card = await shown(w, await asked(service, MEETING.format("harbour")))
    await expect(card.locator(".slot li", has_text="Proposed")).to_have_text(re.compile("15:00 to 16:00: Proposed"))
    await act(card, "edit").click()
    await card.get_by_label("Begins: time").fill("1.30 pm")
    await card.get_by_label("Ends: time").focus()
    await expect(card.get_by_label("Ends: time")).to_have_value("14:30")
    await act(card, "save").click()
    await expect(card.locator(".slot li", has_text="Proposed")).to_have_text(re.compile("13:30 to 14:30: Proposed"))
    await act(card, "approve").click()
    await act(card, "read").check()
    await act(card, "confirm").click()
    await act(card, "undo").click()
    await card.get_by_role("link", name="an approval of its own").click()
    await expect(w.page.locator(".preview-heading")).to_contain_text("Take back")


async def test_one_of_several_is_left_out_and_cancelling_does_nothing_at_all(w: Window, service: Running) -> None:
    turn = await asked(service, "archive all newsletters")
    card = await shown(w, turn)
    number = len(turn.previews[0].items)
    await expect(card.locator(".bulk > li")).to_have_count(number)
    await act(card, "edit").click()
    await card.get_by_label("Leave this out").first.check()
    await act(card, "save").click()
    await expect(card.locator(".bulk > li")).to_have_count(number - 1)
    await act(card, "cancel").click()
    await expect(card).to_have_attribute("data-status", "cancelled")


async def test_a_question_is_answered_with_a_number_key(w: Window, service: Running) -> None:
    await asked(service, PLAIN.format("One"))
    turn = await asked(service, "send an email to David saying hello there")
    assert turn.question is not None and turn.question.choices
    await w.go("/approvals")
    card = w.page.locator(f"[data-question='{turn.question.id}']")
    await expect(card.locator(".choice")).to_have_count(len(turn.question.choices))
    await w.page.locator("h1").focus()
    await w.page.keyboard.press("1")
    await expect(card).to_contain_text("You answered")


async def test_the_day_puts_words_into_the_chat_without_a_strangers_address(w: Window, service: Running) -> None:
    await w.go("/today")
    mail = w.page.locator(".ask", has=w.page.get_by_role("button", name="Summarise")).first
    await mail.get_by_role("button", name="Summarise").click()
    message = w.page.get_by_label("Message to the assistant")
    await expect(message).to_have_value(re.compile("^summarise the mail"))
    assert "@" not in await message.input_value()


async def test_on_a_phone_too_one_goes_on_writing_what_the_day_began(browser: Browser, service: Running) -> None:
    async with window(browser, service.url, "day-reply", **PHONE) as w:
        await w.enter(service)
        await w.go("/today")
        await w.page.get_by_role("button", name=re.compile("^Reply to ")).first.click()
        message = w.page.get_by_label("Message to the assistant")
        await expect(message).to_be_focused()
        await w.page.keyboard.type("thanks")
        await expect(message).to_have_value(re.compile("^reply to the mail .* saying thanks$"))


async def test_an_invitation_is_answered_through_a_preview(w: Window, service: Running) -> None:
    await w.go("/today")
    await w.page.get_by_role("button", name=re.compile("^Decline: ")).first.click()
    card = w.page.locator(".preview[data-status=open]")
    await expect(card.locator(".changes")).to_contain_text("declined")


def trace(kind: str, text: str, source: str, by: str = "", *, known: bool = True) -> dict[str, object]:
    return {"kind": kind, "text": text, "source": source, "by": by, "known": known}


SARAH = "Sarah Lindqvist <sarah@northwind.example>"
TRACES = [
    trace("link", "https://files.northwind.example/a/rather/long/path/that/goes/on/and/on?and=on", "message", SARAH),
    *(trace("amount", f"{n} 200 euros", "own_words") for n in range(1, 7)),
    trace("code", "482913", "nowhere", known=False),
    trace("address", "s\u0430ra@m\u00fcller.example", "message", "Mallory <mallory@evil.example>", known=False),
]
LOOKALIKE = {
    "address": {"name": "Sara Lind", "email": "s\u0430ra@m\u00fcller.example"},
    "line": "to",
    "origin": "not in your contacts",
    "known": False,
}
WARNINGS = [
    "the code 482913 stands in no message and not in what you wrote",
    "s\u0430ra@m\u00fcller.example looks like sara@muller.example",
]


async def warned(w: Window, service: Running, subject: str) -> Locator:
    """A card on which much is wrong, as the gate would have it."""
    turn = await asked(service, PLAIN.format(subject))

    async def answer(route: Route) -> None:
        body = await (await route.fetch()).json()
        body |= {"level": "high", "warnings": WARNINGS, "reasons": ["it sends a mail to others", *WARNINGS]}
        body["items"][0] |= {"traces": TRACES, "recipients": [LOOKALIKE, *body["items"][0]["recipients"]]}
        await route.fulfill(json=body)

    await w.page.route(f"**/api/previews/{turn.previews[0].id}", answer)
    return await shown(w, turn)


async def test_warnings_come_first_with_a_word_and_a_sign_and_again_before_it_is_done(w: Window, service: Running) -> None:
    card = await warned(w, service, "Warned")
    warnings = card.get_by_role("list", name="Warnings").get_by_role("listitem")
    await expect(warnings).to_have_text([re.compile("^Warning: The code 482913"), re.compile("^Warning: s\u0430ra@.*looks like")])
    await expect(warnings.locator("svg")).to_have_count(2)
    reasons = card.get_by_role("list", name="Why you are asked")
    await expect(reasons.get_by_role("listitem")).to_have_text(["It sends a mail to others."])
    above, below = await warnings.last.bounding_box(), await reasons.bounding_box()
    assert above and below and above["y"] < below["y"]
    await act(card, "approve").click()
    await expect(card.locator(".confirm").get_by_role("list", name="Warnings")).to_contain_text("482913")


async def test_it_shows_where_things_come_from_and_never_folds_what_is_unknown(w: Window, service: Running) -> None:
    card = await warned(w, service, "Traced")
    origins = card.get_by_role("region", name="Where it comes from")
    lines = origins.locator(".trace:visible")
    await expect(lines.nth(0)).to_have_text("Code482913Check this: stands in no message and not in what you wrote")
    await expect(lines.nth(1)).to_contain_text("s\\u0430ra@xn--mller-kva.example")
    await expect(lines.nth(2)).to_contain_text(f"from the mail by {SARAH}")
    folded = await lines.count()
    await origins.locator("summary").focus()
    await w.page.keyboard.press("Enter")
    await expect(lines).to_have_count(len(TRACES))
    assert folded < len(TRACES)
    await expect(origins.locator("a")).to_have_count(0)
    await expect(card.locator(".recipient").first).to_contain_text("s\\u0430ra@xn--mller-kva.example")
    assert await w.unreadable() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_warnings_and_origins_fit_a_phone_and_can_be_read(browser: Browser, service: Running, scheme: str) -> None:
    async with window(browser, service.url, f"warned-{scheme}", **PHONE, color_scheme=scheme) as phone:
        await phone.enter(service)
        card = await warned(phone, service, f"Phone {scheme}")
        await card.locator(".traces summary").tap()
        assert await phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await phone.unreadable() == []
        await phone.shot("card")


async def test_what_was_sent_otherwise_than_approved_is_told_loudly(w: Window, service: Running) -> None:
    assert await w.page.evaluate("""async () => {
        const {outcomeCard} = await import('/page/scripts/parts/outcome.js');
        const one = {action: {kind: 'send_mail'}, status: 'done', says: 'mail Tom', note: '', key: 'k',
                     differs: 'it also went to x@y.example'};
        const card = outcomeCard(one, {});
        return [card.className, card.textContent];
    }""") == ["outcome outcome-high", "Done, but not as you approved it: Mail TomNot as approved: It also went to x@y.example."]


async def test_a_mail_from_which_something_was_removed_says_so(w: Window, service: Running) -> None:
    told = await w.page.evaluate("""async () => {
        const {mailView} = await import('/page/scripts/parts/mail-view.js');
        const mail = {subject: 'Hi', to: [], cc: [], bcc: [], date: '2026-11-18T09:00:00Z', body: 'Hello',
                      oddities: [{kind: 'invisible', where: 'body', count: 3}, {kind: 'hidden_text', where: 'body', count: 40}]};
        return [mailView(mail), mailView({...mail, oddities: []})].map((one) => one.querySelector('.note')?.textContent ?? '');
    }""")
    assert told == ["Text that you could not have seen was removed from this mail.", ""]
