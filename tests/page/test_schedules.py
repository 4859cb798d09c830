"""Schedules, their runs and briefings, as somebody uses them in a browser."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from doubles.browser import PHONE, WIDE, Window, window
from doubles.hostile import MARK
from doubles.service import Running
from playwright.async_api import Browser, Locator, expect
from sqlalchemy import update

from assistant.facade import Assistant
from assistant.timetable.rules import Ask, Cron, GiveBriefing, Once, Remind
from storage.session import Prepared, given
from storage.tables import SCHEDULE

pytestmark = pytest.mark.asyncio(loop_scope="session")
ENDED = Prepared(update(SCHEDULE).where(SCHEDULE.c.id == given("which")), ["next"])
EIGHT = Cron(expression="0 8 * * 1-5")
DAILY = Cron(expression="0 9 * * *")


@pytest_asyncio.fixture(loop_scope="session")
async def assistant(service: Running) -> Assistant:
    return await service.household.of("owner")


@pytest_asyncio.fixture(loop_scope="session")
async def w(browser: Browser, service: Running, request: pytest.FixtureRequest) -> AsyncIterator[Window]:
    async with window(browser, service.url, request.node.name.removeprefix("test_")[:40], **getattr(request, "param", WIDE)) as w:
        await w.enter(service)
        yield w


def card(w: Window, name: str) -> Locator:
    return w.page.get_by_role("article", name=name, exact=True)


async def sure(w: Window, yes: str) -> None:
    await w.page.get_by_role("dialog").get_by_role("button", name=yes, exact=True).click()


async def readable(w: Window) -> None:
    assert await w.unreadable() == []
    assert await w.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "It is wider than the screen."


# --- adding


async def test_a_suggestion_is_understood_before_it_is_added(w, assistant):
    for one in await assistant.schedules.list():
        await assistant.schedules.remove(one.id)
    await w.go("/schedules")
    await w.page.get_by_role("button", name="every weekday at 8").click()
    form = w.page.get_by_role("form", name="A new schedule")
    await expect(form).to_contain_text("I understand: every weekday at 08:00 — briefing on your inbox and your day")
    await expect(form).to_contain_text(re.compile(r"Next: .* 08:00"))
    assert await assistant.schedules.list() == ()
    await form.get_by_role("button", name="Add").click()
    await expect(card(w, "Morning briefing")).to_contain_text("Every weekday at 08:00")
    assert [one.by_program for one in await assistant.schedules.list()] == [False]


async def test_words_that_lack_something_are_asked_about_and_nothing_is_lost(w):
    await w.go("/schedules")
    words = w.page.get_by_label("What to do, and when")
    w.expected.append("400")
    await words.fill("remind me to water the plants")
    await expect(w.page.get_by_text("When shall I remind you")).to_be_visible()
    await words.press("Enter")
    await expect(words).to_have_value("remind me to water the plants")


@pytest.mark.parametrize("w", [WIDE, {**PHONE, "color_scheme": "dark"}], indirect=True, ids=["wide", "phone"])
async def test_a_schedule_is_put_together_by_choosing(w, assistant):
    await w.go("/schedules")
    await w.page.get_by_text("Choose instead of writing").click()
    form = w.page.get_by_role("form", name="A new schedule")
    await form.get_by_label("What", exact=True).select_option("A reminder")
    await form.get_by_label("What to remind you of").fill("pay the rent")
    await form.get_by_label("When", exact=True).select_option("Every month")
    await form.get_by_label("At", exact=True).fill("07:30")
    await form.get_by_label("by mail to you").check()
    await expect(form).to_contain_text("I understand: ")
    await expect(form).to_contain_text("reminder: pay the rent")
    await w.shot("chosen")
    await readable(w)
    await form.get_by_role("button", name="Add").click()
    await expect(w.page.get_by_text("Added: pay the rent")).to_be_visible()
    made = next(one for one in reversed(await assistant.schedules.list()) if one.name.startswith("pay the rent"))
    assert (made.task, made.rule, made.targets) == (Remind(text="pay the rent"), Cron(expression="30 7 1 * *"), ("mail",))
    await assistant.schedules.remove(made.id)


# --- living with one


async def test_it_is_run_at_once_and_its_history_leads_to_the_conversation(w, assistant):
    made = await assistant.schedules.add("Water the plants", Remind(text="water the plants"), DAILY)
    await w.go("/schedules")
    plants = card(w, "Water the plants")
    await expect(plants).to_contain_text("not yet")
    await plants.get_by_role("button", name="Run now").click()
    await expect(w.page.get_by_text("Water the plants: done.")).to_be_visible()
    await plants.get_by_text("Earlier runs").click()
    run = plants.locator(".schedule-runs li").first
    await expect(run).to_contain_text("Reminder: water the plants")
    await w.shot("ran")
    await readable(w)
    await run.get_by_role("link", name="Show").click()
    await expect(w.page.get_by_text("water the plants · scheduled")).to_be_visible()
    await expect(w.page.get_by_text("Reminder: water the plants")).to_be_visible()
    assert w.page.url.endswith(f"/#/c/{made.conversation}")


async def test_it_is_paused_and_switched_on_again(w, assistant):
    made = await assistant.schedules.add("To pause", Remind(text="stretch"), DAILY)
    await w.go("/schedules")
    switch = card(w, "To pause").get_by_role("switch")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "false")
    await expect(card(w, "To pause")).to_contain_text("paused since")
    assert (await assistant.schedules.get(made.id)).paused
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    assert (await assistant.schedules.get(made.id)).paused is None


async def test_it_is_removed_after_one_is_asked_and_can_be_added_again(w, assistant):
    made = await assistant.schedules.add("Invoices", Ask(text="which invoices came?"), EIGHT, targets=["mail"])
    await w.go("/schedules")
    await card(w, "Invoices").get_by_role("button", name="Remove").click()
    await sure(w, "Remove")
    await expect(card(w, "Invoices")).to_have_count(0)
    assert made.id not in [one.id for one in await assistant.schedules.list()]
    await w.page.get_by_role("button", name="Add it again").click()
    await expect(card(w, "Invoices")).to_be_visible()
    again = next(one for one in await assistant.schedules.list() if one.name == "Invoices")
    assert (again.task, again.rule, again.targets) == (made.task, made.rule, made.targets)


async def test_what_changes_elsewhere_is_seen_without_reloading(w, assistant):
    await w.go("/schedules")
    await expect(w.page.get_by_role("heading", name="Schedules")).to_be_visible()
    await w.settled()
    made = await assistant.schedules.add("From elsewhere", Remind(text="look up"), DAILY)
    await expect(card(w, "From elsewhere")).to_be_visible()
    await assistant.schedules.remove(made.id)
    await expect(card(w, "From elsewhere")).to_have_count(0)


# --- where results go


async def test_a_target_is_added_tried_and_removed_and_its_address_never_shown(w, assistant):
    await w.go("/schedules")
    await w.page.get_by_role("button", name="Add a target").click()
    dialog = w.page.get_by_role("dialog")
    await dialog.get_by_label("Its name").fill("phone")
    address = dialog.get_by_label("Its address")
    await expect(address).to_have_attribute("type", "password")
    await address.fill("json://127.0.0.1:9/a-secret-path")
    await readable(w)
    await dialog.get_by_role("button", name="Add it").click()
    await expect(dialog).to_have_count(0)
    await w.page.get_by_role("button", name="Try it: phone").click()
    await expect(w.page.locator(".toast-high")).to_contain_text("phone")
    assert "a-secret-path" not in await w.page.content()
    await w.page.get_by_role("button", name="Remove phone").click()
    await sure(w, "Remove")
    await expect(w.page.get_by_role("button", name="Remove phone")).to_have_count(0)
    assert await assistant.targets.list() == ()


async def test_a_run_that_could_not_be_delivered_says_so(w, assistant):
    await assistant.targets.add("pager", "json://127.0.0.1:9/x")
    made = await assistant.schedules.add("Undelivered", Remind(text="stretch"), DAILY, targets=["pager"])
    await assistant.schedules.run(made.id)
    await w.go("/schedules")
    await expect(card(w, "Undelivered")).to_contain_text(re.compile(r"pager: not delivered"))
    await w.shot("undelivered")
    await readable(w)
    await assistant.schedules.remove(made.id)
    await assistant.targets.remove("pager")


# --- briefings


@pytest.mark.parametrize("w", [WIDE, {**PHONE, "color_scheme": "dark"}], indirect=True, ids=["wide", "phone"])
async def test_a_briefing_is_read_in_the_chat(w, assistant):
    made = await assistant.schedules.add("Briefing to read", GiveBriefing(), EIGHT)
    await assistant.schedules.run(made.id)
    await w.go(f"/c/{made.conversation}")
    await expect(w.page.get_by_text("Briefing to read · scheduled")).to_be_visible()
    briefing = w.page.locator(".briefing")
    answers = briefing.locator(".briefing-kind-answer")
    await expect(answers.locator(".briefing-line").first).to_contain_text("unanswered")
    await expect(briefing.locator(".briefing-foot")).to_contain_text(re.compile(r"sample: \d+ mails, .*; \d+ events"))
    await expect(briefing.get_by_text(MARK).first).to_be_visible()
    await w.shot("briefing")
    await readable(w)
    await assistant.schedules.remove(made.id)


async def test_phishing_stands_apart_and_offers_no_answer(w, assistant):
    made = await assistant.schedules.add("With phishing", GiveBriefing(parts=("inbox",)), EIGHT)
    await assistant.schedules.run(made.id)
    await w.go(f"/c/{made.conversation}")
    phishing = w.page.locator(".briefing-kind-phishing")
    await expect(phishing).to_contain_text("Do not open links")
    await expect(phishing.get_by_role("button", name="Answer")).to_have_count(0)
    await expect(phishing.get_by_role("button", name="Archive").first).to_be_visible()
    await assistant.schedules.remove(made.id)


async def test_a_line_opens_its_mail_and_its_button_puts_words_into_the_composer(w, assistant):
    made = await assistant.schedules.add("To act on", GiveBriefing(), EIGHT)
    await assistant.schedules.run(made.id)
    await w.go(f"/c/{made.conversation}")
    line = w.page.locator(".briefing-kind-answer .briefing-line").first
    await line.get_by_role("link").click()
    dialog = w.page.get_by_role("dialog", name="Mail")
    await expect(dialog.get_by_role("article")).to_contain_text("From")
    await dialog.get_by_role("button", name="Close").click()
    href = await line.get_by_role("link").get_attribute("href")
    await line.get_by_role("button", name="Answer").click()
    await expect(w.page.get_by_label("Message to the assistant")).to_have_value("answer number 1 saying ")
    assert href is not None and href.startswith("#/mail/sample/")
    await w.go(href.removeprefix("#"))
    await expect(w.page.get_by_role("article")).to_contain_text("From")
    await readable(w)
    await assistant.schedules.remove(made.id)


async def test_a_line_opens_its_event_also_by_its_link(w, assistant):
    made = await assistant.schedules.add("Of the week", GiveBriefing(parts=("week",)), EIGHT)
    await assistant.schedules.run(made.id)
    await w.go(f"/c/{made.conversation}")
    link = w.page.locator(".briefing-kind-agenda .briefing-line").first.get_by_role("link")
    await link.click()
    dialog = w.page.get_by_role("dialog", name="Event")
    title = await dialog.get_by_role("heading", level=3).text_content()
    await dialog.get_by_role("button", name="Close").click()
    href = await link.get_attribute("href")
    assert href is not None and title
    await w.go(href.removeprefix("#"))
    await expect(w.page.get_by_role("heading", level=3)).to_have_text(title)
    await readable(w)
    await assistant.schedules.remove(made.id)


async def test_an_invitation_is_answered_through_a_preview(w, assistant):
    made = await assistant.schedules.add("Invited", GiveBriefing(parts=("week",)), EIGHT)
    await assistant.schedules.run(made.id)
    await w.go(f"/c/{made.conversation}")
    await w.page.locator(".briefing").get_by_role("button", name="Decline").first.click()
    await expect(w.page.locator("[data-preview][data-status=open]")).to_contain_text(re.compile("decline", re.IGNORECASE))
    assert len(await assistant.open_previews(made.conversation)) == 1
    await assistant.schedules.remove(made.id)


async def test_today_briefs_at_once_and_tells_what_comes_by_itself(w, assistant):
    made = await assistant.schedules.add("Next one", GiveBriefing(), Cron(expression="* * * * *"))
    await w.go("/today")
    await expect(w.page.get_by_text("Next by itself: Next one")).to_be_visible()
    await assistant.schedules.remove(made.id)
    await w.page.get_by_role("button", name="Brief me now").click()
    await expect(w.page.locator(".briefing")).to_be_visible()


async def test_what_is_over_stands_folded_at_the_end(w, assistant):
    made = await assistant.schedules.add("Only once", Remind(text="look out"), Once.model_validate({"at": "2099-01-01T09:00"}))
    await assistant.database.write(lambda s: s.changed(ENDED, which=made.id, next=None))
    await w.go("/schedules")
    await expect(w.page.get_by_text("1 schedule that is over")).to_be_visible()
    await expect(card(w, "Only once")).to_be_hidden()
    await w.page.get_by_text("1 schedule that is over").click()
    await expect(card(w, "Only once")).to_contain_text("does not run again")
    await assistant.schedules.remove(made.id)


async def test_what_a_schedule_proposes_awaits_its_approval_among_the_others(w, assistant):
    request = Ask(text="Email Anna Kowalski that I will be late tomorrow")
    made = await assistant.schedules.add("Tell Anna", request, DAILY)
    await assistant.schedules.run(made.id)
    await w.go("/schedules")
    await expect(card(w, "Tell Anna")).to_contain_text("waits for your approval")
    (preview,) = await assistant.open_previews(made.conversation)
    await w.go("/approvals")
    shown = w.page.locator(f'[data-preview="{preview.id}"]')
    await expect(shown).to_contain_text("Anna Kowalski")
    await shown.get_by_role("button", name="Approve").click()
    await expect(shown).to_have_attribute("data-status", "approved")
    await assistant.schedules.remove(made.id)


async def test_it_is_changed_and_what_is_not_touched_stays(w, assistant):
    made = await assistant.schedules.add("Stretching", Remind(text="stretch"), EIGHT, targets=["mail"])
    await w.go("/schedules")
    await card(w, "Stretching").get_by_role("button", name="Change").click()
    dialog = w.page.get_by_role("dialog")
    await expect(dialog.get_by_label("When", exact=True)).to_have_value("kept")
    await dialog.get_by_label("What to remind you of").fill("stretch your back")
    await w.shot("changing")
    await readable(w)
    await dialog.get_by_role("button", name="Save").click()
    await expect(card(w, "Stretching")).to_contain_text("Reminder: stretch your back")
    now = await assistant.schedules.get(made.id)
    assert (now.rule, now.targets, now.task) == (EIGHT, ("mail",), Remind(text="stretch your back"))
    await card(w, "Stretching").get_by_role("button", name="Change").click()
    await dialog.get_by_label("When", exact=True).select_option("Every week")
    await dialog.get_by_label("Weekday").select_option("Sunday")
    await dialog.get_by_label("At", exact=True).fill("18:00")
    await dialog.get_by_role("button", name="Save").click()
    await expect(card(w, "Stretching")).to_contain_text("On Sundays at 18:00")
    await assistant.schedules.remove(made.id)


async def test_a_schedule_that_was_changed_elsewhere_meanwhile_is_not_overwritten(w, assistant):
    made = await assistant.schedules.add("Contested", Remind(text="stretch"), EIGHT)
    await w.go("/schedules")
    await card(w, "Contested").get_by_role("button", name="Change").click()
    await assistant.schedules.change(made.id, rule=DAILY)
    dialog = w.page.get_by_role("dialog")
    w.expected.append("409")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_contain_text("changed in the meantime")
    assert (await assistant.schedules.get(made.id)).rule == DAILY
    await dialog.get_by_role("button", name="Back").click()
    await assistant.schedules.remove(made.id)


# --- what comes while something else is on the screen


async def test_what_comes_is_told_on_any_view_and_new_until_it_is_read(w, assistant):
    made = await assistant.schedules.add("Water", Remind(text="water the plants"), DAILY)
    await w.go("/today")
    await expect(w.page.get_by_role("heading", name="Today")).to_be_visible()
    await w.page.wait_for_function("Object.keys(localStorage).some((key) => key.startsWith('arrivals-'))")
    await assistant.schedules.run(made.id)
    told = w.page.locator(".toast", has_text="Reminder: water the plants")
    await expect(told).to_be_visible()
    await expect(w.page).to_have_title(re.compile(r"^\(\d+\) Today"))
    await expect(w.page.get_by_role("link", name="Chat 1 with something new")).to_be_visible()
    await w.go("/")
    talk = w.page.locator(f'.talk[data-id="{made.conversation}"]')
    await expect(talk).to_contain_text("something new")
    await w.shot("new")
    await readable(w)
    await told.get_by_role("button", name="Show").click()
    await expect(w.page.get_by_text("water the plants · scheduled")).to_be_visible()
    await expect(told).to_have_count(0)
    await expect(talk).not_to_contain_text("something new")
    await expect(w.page.get_by_role("link", name="Chat", exact=True)).to_be_visible()
    await assistant.schedules.remove(made.id)


async def test_what_came_while_nobody_looked_is_told_once(w, assistant):
    made = await assistant.schedules.add("Bins", Remind(text="put the bins out"), DAILY)
    await w.page.wait_for_function("Object.keys(localStorage).some((key) => key.startsWith('arrivals-'))")
    await w.page.goto("about:blank")
    await assistant.schedules.run(made.id)
    await w.go("/accounts")
    told = w.page.locator(".toast", has_text="put the bins out")
    await expect(told).to_be_visible()
    await w.page.reload()
    await expect(w.page.get_by_role("link", name="Chat 1 with something new")).to_be_visible()
    await expect(told).to_have_count(0)
    await assistant.schedules.remove(made.id)


async def test_what_is_on_the_screen_is_not_told_again(w, assistant):
    made = await assistant.schedules.add("Here", Remind(text="look here"), DAILY)
    await assistant.schedules.run(made.id)
    await w.go(f"/c/{made.conversation}")
    await expect(w.page.locator(".said-assistant", has_text="Reminder: look here")).to_have_count(1)
    await assistant.schedules.run(made.id)
    await expect(w.page.locator(".said-assistant", has_text="Reminder: look here")).to_have_count(2)
    await w.go("/accounts")
    await expect(w.page.get_by_role("heading", name="Accounts")).to_be_visible()
    await expect(w.page.locator(".toast")).to_have_count(0)
    await expect(w.page.get_by_role("link", name="Chat", exact=True)).to_be_visible()
    await assistant.schedules.remove(made.id)
