"""The layers of a reading can be seen."""

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.explaining import explain


def test_every_layer_is_shown(setting: Setting) -> None:
    found = explain("shedule a call with Anna on Friday at 10", setting)
    assert found.respelt == ("shedule → schedule",)
    assert [(line.text, line.kind) for line in found.entities] == [("Anna", "person"), ("on Friday at 10", "time")]
    assert found.entities[1].meaning == "Fri 20 Nov 2026, 10:00"
    (clause,) = found.clauses
    assert (clause.kind, clause.text) == ("do “create”", "schedule a call with Anna on Friday at 10")
    assert [step.operation for step in found.steps] == ["contact.address", "event.create"]
    assert ("title", "Call") in [(line.text, line.meaning) for line in found.steps[1].details]
    assert found.steps[1].guesses


def test_what_is_not_read_is_said(setting: Setting) -> None:
    found = explain("frobnicate the standup", setting)
    assert not found.steps
    assert "frobnicate" in found.unread
    assert "did not understand" in found.says


def test_a_schedule_is_explained_by_its_time_and_its_task(setting: Setting) -> None:
    assert explain("every weekday at 8 brief me by mail", setting).says == (
        "a schedule, every weekday at 08:00: briefing on your inbox and your day, to mail"
    )
    assert explain("remind me on Friday to call Tom", setting).says == (
        "a schedule, on Friday 20 November at 09:00: reminder: Call Tom"
    )
